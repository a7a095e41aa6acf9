import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { RecordFilter } from '../../../../core/index.ts'
import { isSqlite } from '../migrations/dialect.ts'
import type { Tables } from '../tables.ts'

type Condition = 'key' | 'org' | 'team' | 'user' | 'model' | 'provider' | 'status' | 'error'

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
  const given = Object.keys(filter).filter(name => filter[name as keyof RecordFilter] !== undefined)
  const conditions = new Set(given.map(name => (name === 'status' && filter.status === 'error' ? 'error' : name)))
  const fitting = indexes.filter(([, fulfilled]) => fulfilled.every(condition => conditions.has(condition)))
  const candidates = fitting.filter(
    ([name, fulfilled]) => !fitting.some(([other, more]) => other !== name && fulfilled.every(condition => more.includes(condition))),
  )
  if (candidates.length < 2) return candidates[0]?.[0]
  let narrowest = { name: '', count: Infinity }
  for (const [name, fulfilled] of candidates) {
    const { from, to } = filter
    const own = Object.fromEntries(
      fulfilled.map(condition => (condition === 'error' ? ['status', 'error'] : [condition, filter[condition]])),
    )
    const rows = matching(sql`record indexed by ${sql.ref(name)}`, { from, to, ...own })
    const {
      rows: [row],
    } = await sql<{ readonly count: number }>`select count(*) as count from (${rows} limit ${mostCounted})`.execute(database)
    if (row!.count < narrowest.count) narrowest = { name, count: row!.count }
  }
  return narrowest.name
}
