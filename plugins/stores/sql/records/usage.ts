import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isBySession, type AnswerTimes, type UsageGroup, type UsageQuery, type UsageRow } from '../../../../core/stores.ts'
import type { Tables } from '../tables.ts'
import { answerTimesOf } from './durations.ts'
import { isSqlite } from '../migrations/dialect.ts'
import { rollUpMs, type laterSums } from './added.ts'
import { jsonRows } from './json-rows.ts'
import { spansOf } from './spans.ts'
import type { UsageSessionTable } from './tables.ts'

const groupColumns = {
  model: 'model',
  provider: 'provider',
  key: 'key_id',
  team: 'team',
  org: 'org',
  session: 'session',
} as const satisfies Readonly<Record<UsageGroup, keyof UsageSessionTable>>
const sumColumns = {
  requests: 'requests',
  errors: 'errors',
  inputTokens: 'input_tokens',
  cachedTokens: 'cached_tokens',
  outputTokens: 'output_tokens',
  cost: 'cost',
  unpriced: 'unpriced',
} as const
const laterColumns = {
  caller: 'caller_errors',
  policy: 'policy_errors',
  vendor: 'vendor_errors',
  gateway: 'gateway_errors',
  attempts: 'attempts',
  failedAttempts: 'failed_attempts',
  faults: 'faults',
} as const satisfies Readonly<Record<string, (typeof laterSums)[number]>>

/** Null: not among the top. */
type GroupRow = Readonly<Partial<Record<UsageGroup, string | null>>> & { readonly start: number }
type SumRow = GroupRow & Readonly<Record<keyof typeof sumColumns, number> & Record<keyof typeof laterColumns, number | null>>
type DurationRow = GroupRow & { readonly duration: number; readonly answers: number; readonly attempts: number }
type Times = Required<Pick<UsageRow, 'latency' | 'attemptLatency'>>

/** Adds up the sums of minutes, hours and days. */
export async function readUsage(database: Kysely<Tables>, query: UsageQuery): Promise<readonly UsageRow[]> {
  const { from, latency = false, limit } = query
  const groups = [...new Set(query.groupBy)]
  const [start, ...keys] = keysOf(query, groups)
  // SQLite hands out no whole number above 2^53, which is nine million dollars.
  const sums = Object.entries({ ...sumColumns, ...laterColumns }).map(
    ([name, column]) => sql`cast(sum(span.sign * u.${sql.ref(column)}) as double precision) as ${sql.ref(name)}`,
  )
  const { rows } = await sql<SumRow>`
    select ${sql.join([sql`${start} as start`, ...named(keys, groups), ...sums])}
    from ${tableOf(database, sumsFor(query), query, groups)}
    where ${wanted(query)}
    group by ${sql.join([start, ...keys])}
    having sum(span.sign * u.requests) > 0 or sum(span.sign * u.attempts) > 0
    order by ${isBySession(query) ? sql`1, ${sizeFor(query)} desc` : sql`1`}
    limit ${limit}`.execute(database)
  const times = latency && !isBySession(query) && rows.length > 0 ? await readTimes(database, query, groups) : undefined
  return rows.map(row => {
    const { requests, errors, inputTokens, cachedTokens, outputTokens, unpriced, attempts, failedAttempts, faults } = row
    return {
      at: query.bucket === 'total' ? from : row.start,
      group: groupOf(row, groups),
      requests,
      errors,
      errorsBy: errorsBy(row),
      attempts,
      failedAttempts,
      faults,
      inputTokens,
      cachedTokens,
      outputTokens,
      costUsd: row.cost / 1e9,
      unpriced,
      ...(times && (times.get(nameOf(row, groups)) ?? timesOf([]))),
    }
  })
}

function errorsBy({ caller, policy, vendor, gateway }: SumRow): UsageRow['errorsBy'] {
  if (caller === null || policy === null || vendor === null || gateway === null) return null
  return { caller, policy, vendor, gateway }
}

/** How long answers and attempts took, by bucket and group. */
async function readTimes(database: Kysely<Tables>, query: UsageQuery, groups: readonly UsageGroup[]): Promise<ReadonlyMap<string, Times>> {
  const [start, ...keys] = keysOf(query, groups)
  const { rows } = await sql<DurationRow>`
    select ${sql.join([sql`${start} as start`, ...named(keys, groups), sql`u.duration as duration`])},
      cast(sum(span.sign * u.answers) as bigint) as answers, cast(sum(span.sign * u.attempts) as bigint) as attempts
    from ${tableOf(database, 'usage_latency', query, groups)}
    where ${wanted(query)}
    group by ${sql.join([start, ...keys, sql`u.duration`])}
    having sum(span.sign * u.answers) > 0 or sum(span.sign * u.attempts) > 0`.execute(database)
  const byRow = Map.groupBy(rows, row => nameOf(row, groups))
  return new Map(Array.from(byRow, ([name, counts]) => [name, timesOf(counts)]))
}

function timesOf(counts: readonly DurationRow[]): Times {
  const times = (counted: 'answers' | 'attempts'): AnswerTimes =>
    answerTimesOf(new Map(counts.filter(row => row[counted] > 0).map(row => [row.duration, row[counted]])))
  return { latency: times('answers'), attemptLatency: times('attempts') }
}

/** The columns to group rows by: the start of the bucket, then the groups. */
function keysOf(
  { bucket, timeZone, top }: UsageQuery,
  groups: readonly UsageGroup[],
): readonly [RawBuilder<unknown>, ...RawBuilder<unknown>[]] {
  const isOfSpan = bucket === 'total' || (bucket === 'day' && timeZone !== undefined)
  const start = isOfSpan ? sql`span.start` : bucket === 'minute' ? sql`u.at` : sql`u.at - u.at % ${sql.lit(rollUpMs[bucket])}`
  return [start, ...groups.map(group => sql`${sql.raw(top === undefined ? 'u' : 'largest')}.${sql.ref(groupColumns[group])}`)]
}

function named(keys: readonly RawBuilder<unknown>[], groups: readonly UsageGroup[]): readonly RawBuilder<unknown>[] {
  return keys.map((key, index) => sql`${key} as ${sql.ref(groups[index]!)}`)
}

/** With `top`, joined with the largest groups: what is not in one of them has null there. */
function tableOf(database: Kysely<Tables>, table: UsageTableName, query: UsageQuery, groups: readonly UsageGroup[]): RawBuilder<unknown> {
  const { top } = query
  if (top === undefined || groups.length === 0) return inSpans(database, table, query)
  const columns = groups.map(group => sql.ref(groupColumns[group]))
  const own = sql.join(columns.map(column => sql`u.${column}`))
  const equal = sql.join(
    columns.map(column => sql`u.${column} = largest.${column}`),
    sql` and `,
  )
  return sql`${inSpans(database, table, query)} left join (
      select ${own} from ${inSpans(database, sumsFor(query), { ...query, timeZone: undefined })} where ${wanted(query)}
      group by ${own} order by ${sizeFor(query)} desc, ${own} limit ${top}
    ) as largest on ${equal}`
}

type UsageTableName = 'usage' | 'usage_session' | 'usage_latency'

function sumsFor(query: UsageQuery): UsageTableName {
  return isBySession(query) ? 'usage_session' : 'usage'
}

function sizeFor(query: UsageQuery): RawBuilder<unknown> {
  return isBySession(query) ? sql`sum(span.sign * u.cost)` : sql`sum(span.sign * (u.requests + coalesce(u.attempts, 0)))`
}

const spanColumns = { stored: 'text', from: 'bigint', to: 'bigint', sign: 'integer', start: 'bigint' } as const

/** The rows of the spans, each looked up by the primary key. */
function inSpans(database: Kysely<Tables>, table: UsageTableName, query: UsageQuery): RawBuilder<unknown> {
  const rows = spansOf(query).map(({ stored, from, to, sign, start }) => [stored, from, to, sign, start])
  const within = sql`u.bucket = span.stored and u.at >= span.${sql.ref('from')} and u.at < span.${sql.ref('to')}`
  if (!isSqlite(database))
    // Without the offset, Postgres may read the whole table instead.
    return sql`(${jsonRows(spanColumns, rows)}) as span
      cross join lateral (select * from ${sql.table(table)} as u where ${within} offset 0) as u`
  const columns = Object.keys(spanColumns).map((name, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(name)}`)
  // SQLite goes through a cross join from left to right.
  return sql`(select ${sql.join(columns)} from json_each(${JSON.stringify(rows)})) as span cross join ${sql.table(table)} as u on ${within}`
}

function wanted({ org, team, user, key, session }: UsageQuery): RawBuilder<unknown> {
  const only = [
    ...(org === undefined ? [] : [sql`u.org = ${org}`]),
    ...(team === undefined ? [] : [sql`u.team = ${team}`]),
    ...(user === undefined ? [] : [keyOfUser(user)]),
    ...(key === undefined ? [] : [sql`u.key_id = ${key}`]),
    ...(session === undefined ? [] : [sql`u.session = ${session}`]),
  ]
  return only.length === 0 ? sql`1 = 1` : sql.join(only, sql` and `)
}

/** Sums are not kept by user. */
function keyOfUser(user: string): RawBuilder<unknown> {
  return sql`u.key_id in (select k.id from api_key as k where k.org = u.org and ${sql.ref('k.user')} = ${user})`
}

function groupOf(row: GroupRow, groups: readonly UsageGroup[]): UsageRow['group'] {
  if (groups.some(group => row[group] === null)) return undefined
  return Object.fromEntries(groups.map(group => [group, row[group] === '' ? null : row[group]!]))
}

function nameOf(row: GroupRow, groups: readonly UsageGroup[]): string {
  return JSON.stringify([row.start, ...groups.map(group => row[group])])
}
