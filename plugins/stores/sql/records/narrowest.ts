import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { RecordFilter } from '../../../../core/index.ts'
import { isSqlite } from '../migrations/dialect.ts'
import type { Tables } from '../tables.ts'

/** The costs from which there is an index of their own. */
const costLevels = [
  { name: 'dollar', leastUsd: 1 },
  { name: 'dime', leastUsd: 0.1 },
  { name: 'cent', leastUsd: 0.01 },
] as const
type CostLevel = (typeof costLevels)[number]
type Condition = 'key' | 'org' | 'team' | 'user' | 'model' | 'provider' | 'status' | 'error' | CostLevel['name']

/** The indexes of records, with the conditions that each fulfils. */
const indexes: readonly (readonly [name: string, fulfilled: readonly Condition[]])[] = [
  ['record_key_status', ['key', 'status']],
  ['record_key_error', ['key', 'error']],
  ['record_org_error', ['org', 'error']],
  ['record_key', ['key']],
  ['record_user', ['user']],
  ['record_team', ['team']],
  ['record_org', ['org']],
  ['record_model', ['model']],
  ['record_provider', ['provider']],
  ['record_status', ['status']],
  ['record_error', ['error']],
  ['record_cost_dollar', ['dollar']],
  ['record_cost_dime', ['dime']],
  ['record_cost_cent', ['cent']],
]

/** More rows than this need not be counted: a page is full soon. */
const mostCounted = 1_000

/**
 * The index with the fewest records for a filter. SQLite cannot know that a value is rare, and would often read all records of a common one.
 * Undefined where the database chooses: Postgres knows, and often there is nothing to choose. `matching` makes a query for what an index has.
 */
export async function narrowestIndex(
  database: Kysely<Tables>,
  filter: RecordFilter,
  matching: (index: RawBuilder<unknown>, conditions: RecordFilter) => RawBuilder<unknown>,
): Promise<string | undefined> {
  if (!isSqlite(database) || filter.id !== undefined) return undefined
  const conditions = conditionsIn(filter)
  const fitting = indexes.filter(([, fulfilled]) => fulfilled.every(condition => conditions.has(condition)))
  const candidates = fitting.filter(
    ([name, fulfilled]) => !fitting.some(([other, more]) => other !== name && fulfilled.every(condition => more.includes(condition))),
  )
  if (candidates.length < 2) return candidates[0]?.[0]
  let narrowest = { name: '', count: Infinity }
  for (const [name, fulfilled] of candidates) {
    const { from, to } = filter
    const own: RecordFilter = Object.assign({}, ...fulfilled.map(condition => conditions.get(condition)))
    const rows = matching(sql`record indexed by ${sql.ref(name)}`, { from, to, ...own })
    const {
      rows: [row],
    } = await sql<{ readonly count: number }>`select count(*) as count from (${rows} limit ${mostCounted})`.execute(database)
    if (row!.count < narrowest.count) narrowest = { name, count: row!.count }
  }
  return narrowest.name
}

/** The highest cost from which there is an index that has all records of this cost or more. */
export function costLevelOf(minCostUsd: number): CostLevel | undefined {
  return costLevels.find(({ leastUsd }) => minCostUsd >= leastUsd)
}

/** Each with the part of the filter that it comes from. */
function conditionsIn({ from: _, to: __, id: ___, status, minCostUsd, ...equal }: RecordFilter): ReadonlyMap<Condition, RecordFilter> {
  const conditions = new Map<Condition, RecordFilter>()
  for (const [name, value] of Object.entries(equal)) if (value !== undefined) conditions.set(name as keyof typeof equal, { [name]: value })
  if (status !== undefined) conditions.set(status === 'error' ? 'error' : 'status', { status })
  const level = minCostUsd === undefined ? undefined : costLevelOf(minCostUsd)
  if (level) conditions.set(level.name, { minCostUsd })
  return conditions
}
