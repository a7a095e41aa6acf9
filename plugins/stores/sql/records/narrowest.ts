import type { Kysely } from 'kysely'
import { recordFields, recordFilters, snakeCase, type Field, type RecordFilter, type RecordFilterName } from '../../../../core/stores.ts'
import { isSqlite } from '../migrations/dialect.ts'
import type { Tables } from '../tables.ts'

/** Records of at least these costs have their own index. */
const costLevels = [
  { name: 'dollar', leastUsd: 1 },
  { name: 'dime', leastUsd: 0.1 },
  { name: 'cent', leastUsd: 0.01 },
] as const
type CostLevel = (typeof costLevels)[number]
type Condition = RecordFilterName | 'status' | 'error' | 'failed' | CostLevel['name']

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
  ['record_failed', ['failed']],
  ['record_error_code', ['error_code']],
  ['record_cost_dollar', ['dollar']],
  ['record_cost_dime', ['dime']],
  ['record_cost_cent', ['cent']],
  ...laterIndexes(),
]

/** More rows than this need not be counted: a page is full soon. */
export const maxCounted = 1_000

export interface FittingIndex {
  readonly name: string
  /** The part of the filter that it fulfils, and the time. */
  readonly fulfilled: RecordFilter
}

/**
 * The index with the fewest records for a filter. SQLite cannot know that a value is rare, and would often read all records of a common one.
 * Returns undefined if the database chooses: Postgres knows, and often there is only one index. `count` counts the entries of
 * an index, up to `maxCounted`.
 */
export async function narrowestIndex(
  database: Kysely<Tables>,
  filter: RecordFilter,
  count: (index: FittingIndex) => Promise<number>,
): Promise<FittingIndex | undefined> {
  return isSqlite(database) && filter.id === undefined ? await narrowestOf(filter, count) : undefined
}

/** The same for every database. Undefined if the filter has no condition besides the time. */
export async function narrowestOf(
  filter: RecordFilter,
  count: (index: FittingIndex) => Promise<number>,
): Promise<FittingIndex | undefined> {
  const conditions = conditionsIn(filter)
  const fitting = indexes.filter(([, fulfilled]) => fulfilled.every(condition => conditions.has(condition)))
  const candidates = fitting.filter(
    ([name, fulfilled]) => !fitting.some(([other, more]) => other !== name && fulfilled.every(condition => more.includes(condition))),
  )
  const { from, to } = filter
  const all = candidates.map(([name, conditionsOf]): FittingIndex => {
    const own: RecordFilter = Object.assign({}, ...conditionsOf.map(condition => conditions.get(condition)))
    return { name, fulfilled: { from, to, ...own } }
  })
  if (all.length < 2) return all[0]
  let narrowest: FittingIndex | undefined
  let fewest = Infinity
  for (const index of all) {
    const found = await count(index)
    if (found < fewest) [narrowest, fewest] = [index, found]
  }
  return narrowest
}

/** The highest cost from which there is an index that has all records of this cost or more. */
export function costLevelOf(minCostUsd: number): CostLevel | undefined {
  return costLevels.find(({ leastUsd }) => minCostUsd >= leastUsd)
}

/** Those that migrations of added fields make. */
function laterIndexes(): readonly (readonly [name: string, fulfilled: readonly Condition[]])[] {
  const filters = Object.entries(recordFilters) as readonly (readonly [RecordFilterName, keyof typeof recordFields])[]
  const later = filters.filter(([, member]) => (recordFields[member] as Field).revision !== undefined)
  return later.map(([filter, member]) => [`record_${snakeCase(member)}`, [filter]])
}

/** Each with the part of the filter that it comes from. */
function conditionsIn({
  from: _,
  to: __,
  id: ___,
  status,
  minCostUsd,
  failed,
  ...equal
}: RecordFilter): ReadonlyMap<Condition, RecordFilter> {
  const conditions = new Map<Condition, RecordFilter>()
  for (const [name, value] of Object.entries(equal)) if (value !== undefined) conditions.set(name as keyof typeof equal, { [name]: value })
  if (status !== undefined) conditions.set(status === 'error' ? 'error' : 'status', { status })
  if (failed) conditions.set('failed', { failed })
  const level = minCostUsd === undefined ? undefined : costLevelOf(minCostUsd)
  if (level) conditions.set(level.name, { minCostUsd })
  return conditions
}
