import type { CompiledQuery } from 'kysely'
import { rowStatement } from '../sqlite/statement-list.ts'
import { latencySums, mayBeNull, rollUpMs, sessionKey, sessionRollUpMs, usageKey, usageSums, type Added, type Place } from './added.ts'

// For SQLite, whose thread takes much longer to group and add up.

interface Sum {
  readonly group: readonly (string | number)[]
  readonly sums: number[]
}

const buckets = Object.entries(rollUpMs)
const sessionBuckets = Object.entries(sessionRollUpMs)
const [requests, cost] = [usageSums.indexOf('requests'), usageSums.indexOf('cost')]
const placeMembers = 6
/** Among the sums of a key. */
const lastUsedAt = 2

/** Add these to the sums. */
export function sumStatements(added: Added): readonly CompiledQuery[] {
  const usage = new Map<string, Sum>()
  const latency = new Map<string, Sum>()
  const keys = new Map<string, Sum>()
  for (const { place, at, sums } of merged(added.usage)) {
    inBuckets(place, (name, group) => add(usage, name, group, sums))
    const [, , , key] = place
    if (key !== '') {
      const known = add(keys, key, [key], [sums[requests]!, sums[cost]!, 0])
      known.sums[lastUsedAt] = Math.max(known.sums[lastUsedAt]!, at)
    }
  }
  for (const { place, duration, sums } of merged(added.times, true))
    inBuckets(place, (name, group) => add(latency, `${name}\0${duration}`, [...group, duration], sums))
  const sessions = new Map<string, Sum>()
  for (const [session, at, org, team, key, model, provider, ...sums] of added.sessions)
    for (const [bucket, ms] of sessionBuckets) {
      const group = [session, bucket, at - (at % ms), org, team, key, model, provider]
      add(sessions, group.join('\0'), group, sums)
    }
  return [
    ...(sessions.size > 0 ? [upsert('usage_session', sessionKey, usageSums, sessions)] : []),
    upsert('usage', usageKey, usageSums, usage),
    upsert('usage_latency', [...usageKey, 'duration'], latencySums, latency),
    upsert('key_use', ['key_id'], ['requests', 'cost'], keys, ['last_used_at']),
  ]
}

function inBuckets([at, org, team, key, model, provider]: Place, each: (name: string, group: Sum['group']) => void): void {
  for (const [bucket, ms] of buckets) {
    const start = at - (at % ms)
    const who = bucket === 'day-models' ? ['', '', ''] : [org, team, key]
    const what = bucket === 'day-keys' ? ['', ''] : [model, provider]
    const group = [bucket, start, ...who, ...what]
    // No text that is stored contains the separator.
    each(group.join('\0'), group)
  }
}

interface Merged {
  readonly place: Place
  /** The latest. */
  at: number
  /** 0 where there is none. */
  readonly duration: number
  readonly sums: number[]
}

/** Most of a batch is alike, so that the loops above run few times. `timed`: a duration comes before the sums. */
function merged(all: readonly (readonly [...Place, ...rest: readonly number[]])[], timed = false): Iterable<Merged> {
  const alike = new Map<string, Merged>()
  const firstSum = placeMembers + Number(timed)
  for (const row of all) {
    const [at, org, team, key, model, provider, first = 0] = row
    const duration = timed ? first : 0
    const sums = row.slice(firstSum) as number[]
    const name = `${at - (at % rollUpMs.minute)}\0${org}\0${team}\0${key}\0${model}\0${provider}\0${duration}`
    const known = alike.get(name)
    if (known) {
      known.at = Math.max(known.at, at)
      addUp(known.sums, sums)
    } else alike.set(name, { place: [at, org, team, key, model, provider], at, duration, sums })
  }
  return alike.values()
}

function addUp(total: number[], sums: readonly number[]): void {
  for (const [index, sum] of sums.entries()) total[index]! += sum
}

function add(all: Map<string, Sum>, name: string, group: Sum['group'], sums: readonly number[]): Sum {
  const known = all.get(name)
  if (!known) {
    const fresh = { group, sums: [...sums] }
    all.set(name, fresh)
    return fresh
  }
  addUp(known.sums, sums)
  return known
}

/** Of `latest`, the larger value stays. */
function upsert(
  table: string,
  key: readonly string[],
  sums: readonly string[],
  rows: ReadonlyMap<string, Sum>,
  latest: readonly string[] = [],
): CompiledQuery {
  const all = [...key, ...sums, ...latest]
  const changes = [
    ...sums.map(
      name => `${name} = ${table === 'usage' && mayBeNull(name) ? `coalesce(${table}.${name}, 0)` : `${table}.${name}`} + excluded.${name}`,
    ),
    ...latest.map(name => `${name} = max(${table}.${name}, excluded.${name})`),
  ]
  const sql = `insert into ${table} (${all.join()}) values (${all.map(() => '?').join()})
    on conflict (${key.join()}) do update set ${changes.join()}`
  return rowStatement(
    sql,
    [...rows.values()].map(({ group, sums }) => [...group, ...sums]),
  )
}
