import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { AnswerTimes, UsageGroup, UsageQuery, UsageRow } from '../../../../core/index.ts'
import type { Tables } from '../tables.ts'
import { answerTimesOf } from './durations.ts'
import { rollUpMs } from './added.ts'
import type { UsageTable } from './tables.ts'

/** The total of a longer time is added up from hours and days. */
const totalByMinuteMs = 6 * rollUpMs.hour
const groupColumns = { model: 'model', provider: 'provider', key: 'key_id', team: 'team', org: 'org' } as const satisfies Readonly<
  Record<UsageGroup, keyof UsageTable>
>
const sumColumns = {
  requests: 'requests',
  errors: 'errors',
  inputTokens: 'input_tokens',
  cachedTokens: 'cached_tokens',
  outputTokens: 'output_tokens',
  cost: 'cost',
  unpriced: 'unpriced',
} as const

/** Null: not among the top. */
type GroupRow = Readonly<Partial<Record<UsageGroup, string | null>>> & { readonly start: number }
type SumRow = GroupRow & Readonly<Record<keyof typeof sumColumns, number>>
type DurationRow = GroupRow & { readonly duration: number; readonly answers: number }

/** Reads the sums of minutes, hours and days. */
export async function readUsage(database: Kysely<Tables>, query: UsageQuery): Promise<readonly UsageRow[]> {
  const { from, latency = false, limit } = query
  const groups = [...new Set(query.groupBy)]
  const [start, ...keys] = keysOf(query, groups)
  // SQLite hands out no whole number above 2^53, which is nine million dollars.
  const sums = Object.entries(sumColumns).map(
    ([name, column]) => sql`cast(sum(u.${sql.ref(column)}) as double precision) as ${sql.ref(name)}`,
  )
  const { rows } = await sql<SumRow>`
    select ${sql.join([sql`${start} as start`, ...named(keys, groups), ...sums])}
    from ${tableOf('usage', query, groups)}
    where ${wanted(query)}
    group by ${sql.join([start, ...keys])}
    order by 1
    limit ${limit}`.execute(database)
  const times = latency && rows.length > 0 ? await readTimes(database, query, groups) : undefined
  return rows.map(row => {
    const { requests, errors, inputTokens, cachedTokens, outputTokens, unpriced } = row
    return {
      at: query.bucket === 'total' ? from : row.start,
      group: groupOf(row, groups),
      requests,
      errors,
      inputTokens,
      cachedTokens,
      outputTokens,
      costUsd: row.cost / 1e9,
      unpriced,
      ...(times && { latency: times.get(nameOf(row, groups)) ?? answerTimesOf(new Map()) }),
    }
  })
}

/** How long answers took, by bucket and group. */
async function readTimes(
  database: Kysely<Tables>,
  query: UsageQuery,
  groups: readonly UsageGroup[],
): Promise<ReadonlyMap<string, AnswerTimes>> {
  const [start, ...keys] = keysOf(query, groups)
  const { rows } = await sql<DurationRow>`
    select ${sql.join([sql`${start} as start`, ...named(keys, groups), sql`u.duration as duration`])},
      cast(sum(u.answers) as bigint) as answers
    from ${tableOf('usage_latency', query, groups)}
    where ${wanted(query)}
    group by ${sql.join([start, ...keys, sql`u.duration`])}`.execute(database)
  const byRow = Map.groupBy(rows, row => nameOf(row, groups))
  return new Map(
    Array.from(byRow, ([name, counts]) => [name, answerTimesOf(new Map(counts.map(({ duration, answers }) => [duration, answers])))]),
  )
}

/** What rows are grouped by: the start of the bucket, then the groups. */
function keysOf({ bucket, top }: UsageQuery, groups: readonly UsageGroup[]): readonly [RawBuilder<unknown>, ...RawBuilder<unknown>[]] {
  // A constant would be the number of a column.
  const start = bucket === 'total' ? sql`0 * u.at` : bucket === 'day' ? sql`u.at - u.at % ${sql.lit(rollUpMs.day)}` : sql`u.at`
  return [start, ...groups.map(group => sql`${sql.raw(top === undefined ? 'u' : 'largest')}.${sql.ref(groupColumns[group])}`)]
}

function named(keys: readonly RawBuilder<unknown>[], groups: readonly UsageGroup[]): readonly RawBuilder<unknown>[] {
  return keys.map((key, index) => sql`${key} as ${sql.ref(groups[index]!)}`)
}

/** With `top`, joined with the largest groups: what is not in one of them has null there. */
function tableOf(table: 'usage' | 'usage_latency', query: UsageQuery, groups: readonly UsageGroup[]): RawBuilder<unknown> {
  const { top } = query
  if (top === undefined || groups.length === 0) return sql`${sql.table(table)} as u`
  const columns = groups.map(group => sql.ref(groupColumns[group]))
  const own = sql.join(columns.map(column => sql`u.${column}`))
  const equal = sql.join(
    columns.map(column => sql`u.${column} = largest.${column}`),
    sql` and `,
  )
  return sql`${sql.table(table)} as u left join (
      select ${own} from ${sql.table('usage')} as u where ${wanted(query)} group by ${own} order by sum(u.requests) desc, ${own} limit ${top}
    ) as largest on ${equal}`
}

function wanted(query: UsageQuery): RawBuilder<unknown> {
  const { bucket, from, to, org, team, user, key } = query
  const byMinute = bucket === 'minute' || (bucket === 'total' && to - from <= totalByMinuteMs)
  const spans = byMinute ? [{ stored: 'minute', from, to } as const] : bucket === 'hour' ? [hours(from, to)] : daysAndHours(query)
  const inSpan = spans.map(
    span => sql`u.bucket = ${span.stored} and u.at >= ${span.from - (span.from % rollUpMs[span.stored])} and u.at < ${span.to}`,
  )
  return sql.join(
    [
      sql`(${sql.join(inSpan, sql` or `)})`,
      ...(org === undefined ? [] : [sql`u.org = ${org}`]),
      ...(team === undefined ? [] : [sql`u.team = ${team}`]),
      ...(user === undefined ? [] : [keyOfUser(user)]),
      ...(key === undefined ? [] : [sql`u.key_id = ${key}`]),
    ],
    sql` and `,
  )
}

/** Sums are not kept by user. */
function keyOfUser(user: string): RawBuilder<unknown> {
  return sql`u.key_id in (select k.id from api_key as k where k.org = u.org and ${sql.ref('k.user')} = ${user})`
}

interface Span {
  readonly stored: UsageTable['bucket']
  readonly from: number
  readonly to: number
}

function hours(from: number, to: number): Span {
  return { stored: 'hour', from, to }
}

/** Whole days, and the hours before the first and after the last. */
function daysAndHours(query: UsageQuery): readonly Span[] {
  const { from, to } = query
  const firstDay = Math.ceil(from / rollUpMs.day) * rollUpMs.day
  const lastDay = Math.floor(to / rollUpMs.day) * rollUpMs.day
  if (firstDay >= lastDay) return [hours(from, to)]
  const spans = [hours(from, firstDay), { stored: daysFor(query), from: firstDay, to: lastDay }, hours(lastDay, to)]
  return spans.filter(span => span.from < span.to)
}

/** The fewest rows that can answer the query. */
function daysFor({ groupBy, org, team, user, key }: UsageQuery): UsageTable['bucket'] {
  if (!groupBy.includes('model') && !groupBy.includes('provider')) return 'day-keys'
  const isOfKeys = groupBy.some(group => group === 'key' || group === 'team' || group === 'org')
  return isOfKeys || [org, team, user, key].some(only => only !== undefined) ? 'day' : 'day-models'
}

function groupOf(row: GroupRow, groups: readonly UsageGroup[]): UsageRow['group'] {
  if (groups.some(group => row[group] === null)) return undefined
  return Object.fromEntries(groups.map(group => [group, row[group] === '' ? null : row[group]!]))
}

function nameOf(row: GroupRow, groups: readonly UsageGroup[]): string {
  return JSON.stringify([row.start, ...groups.map(group => row[group])])
}
