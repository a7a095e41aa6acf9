import { DatabaseSync } from 'node:sqlite'
import type { RequestRecord } from '../core/index.ts'
import type { AttemptRecord } from '../core/kit.ts'
import { testRecord } from '../core/testing/index.ts'

const dayMs = 86_400_000
export const end = Date.UTC(2026, 9, 1)
export const spanMs = 90 * dayMs
/** Charts by the minute are kept for a week. */
const minutesFrom = end - 7 * dayMs
const keys = 200
const orgs = 20
const sourcesInBatch = 2_000

/** Half of all requests are made with one key; one in 31 fails; a model has one provider, and sometimes another; some values are rare. */
export function recordAt(index: number, at: number): RequestRecord {
  const key = index % 2 === 0 ? 0 : (((index - 1) / 2) * 7_919) % keys
  const status = index % 9_973 === 0 ? 529 : index % 31 === 0 ? 429 : 200
  const isRare = index % 20_011 === 11
  const model = index % 17
  const provider = isRare ? 'provider_rare' : `provider_${(model + (index % 101 === 0 ? 1 : 0)) % 5}`
  return testRecord({
    id: `req_${((index * 2_654_435_761) % 4_294_967_296).toString(16)}_${index}`,
    answerId: `resp_${index}`,
    at,
    status,
    elapsedMs: 300.5 + ((index * 7_919) % 997) * 10,
    keyId: `key_${key}`,
    org: `org_${key % orgs}`,
    team: isRare ? 'team_rare' : key % 3 === 0 ? 'research' : null,
    user: isRare ? 'user_rare' : key % 7 === 1 ? `user_${key}` : null,
    owner: `org_${key % orgs}`,
    stream: true,
    requestedModel: 'auto',
    model: `model_${model}`,
    provider,
    attempts: attemptsAt(index, provider, `model_${model}`, status),
    usage: { uncachedInput: 1_000, cacheRead: 100, cacheWrite5m: 0, cacheWrite1h: 0, output: 300, reasoning: 0 },
    inputTokens: 1_000 + (index % 503),
    outputTokens: 300 + (index % 211),
    firstEventMs: status === 200 ? 200.5 + ((index * 7_919) % 991) : null,
    reason: status === 200 ? null : 'limit',
    costUsd: index % 9_967 === 5 ? 2.5 : index % 211 === 3 ? 0.25 : index % 13 === 1 ? 0.03 : 0.0012,
    errorCode: status === 200 ? null : 'rate_limit_exceeded',
  })
}

/** One in 20 requests fails over, half of them from a provider that always fails. */
function attemptsAt(index: number, provider: string, model: string, status: number): readonly AttemptRecord[] {
  const last = { provider, model, outcome: status === 200 ? 'ok' : 'rate-limit', status, elapsedMs: 800 }
  if (index % 20 !== 7) return [last]
  return [{ provider: index % 40 === 7 ? 'provider_down' : 'provider_4', model, outcome: 'unavailable', status: 503, elapsedMs: 90 }, last]
}

/**
 * Copies the records of the sink until there are `rows`, evenly spread over the time, with other ids, keys and organizations; and adds all
 * of them up as the sink does. Throws if that gives other sums of the first records than the sink's.
 */
export function copyRecords(file: string, sunk: number, rows: number): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma synchronous = off; pragma cache_size = -2000000; pragma temp_store = memory')
    compareSums(database)
    if (rows === sunk) return
    copyAll(database, sunk, rows / sunk)
    addUp(database)
  } finally {
    database.close()
  }
}

function copyAll(database: DatabaseSync, sunk: number, times: number): void {
  const key = (copy: string): string =>
    `case key_id when 'key_0' then 0 else (cast(substr(key_id, 5) as integer) + 13 * ${copy}) % ${keys} end`
  const org = `'org_' || ((${key('copy')}) % ${orgs})`
  const changed: Readonly<Record<string, string>> = {
    id: `id || '_' || copy`,
    answer_id: `answer_id || '_' || copy`,
    at: `at + copy * ${spanMs / sunk / times}`,
    key_id: `'key_' || (${key('copy')})`,
    org,
    owner: org,
  }
  const columns = database
    .prepare(`select name from pragma_table_info('record')`)
    .all()
    .map(({ name }) => String(name))
  const values = columns.map(name => (name === 'at' ? `cast(${changed[name]} as integer)` : (changed[name] ?? `"${name}"`)))
  const quoted = columns.map(name => `"${name}"`).join(', ')
  const copy = database.prepare(`
    with recursive copies (copy) as (select 1 union all select copy + 1 from copies where copy < ${times - 1})
    insert into record (${quoted}) select ${values.join(', ')} from record cross join copies where record.rowid between ? and ?`)
  // An index is faster to build than to extend in random order.
  const indexes = database
    .prepare(`select name, sql from sqlite_master where type = 'index' and tbl_name = 'record' and sql is not null`)
    .all()
  for (const { name } of indexes) database.exec(`drop index ${String(name)}`)
  for (let first = 1; first <= sunk; first += sourcesInBatch) copy.run(first, Math.min(first + sourcesInBatch - 1, sunk))
  for (const { sql } of indexes) database.exec(String(sql))
  // The first attempt of those that failed over had the same model.
  database.exec(`
    delete from record_asked;
    insert into record_asked select ${first} || '/', at, id from record where ${failedOver};
    insert into record_asked select ${first} || '/' || model, at, id from record where ${failedOver}`)
}

const first = `json_extract(attempts, '$[0].provider')`
const failedOver = `json_array_length(attempts) = 2 and ${first} <> provider`

const day = 'at - at % 86400000'
const usageColumns =
  'requests, errors, input_tokens, cached_tokens, output_tokens, cost, unpriced, caller_errors, policy_errors, vendor_errors, gateway_errors, attempts, failed_attempts, faults'
const sums = sumsOf(usageColumns)
const timeSums = sumsOf('answers, attempts')
const place = `at, org, coalesce(team, '') as team, key_id`
const member = (name: string): string => `json_extract(attempt.value, '$.${name}')`
const duration = (ms: string): string => `cast(ceil(ln(${ms}) / ln(1.1)) as integer)`

/** The kinds of days, with the columns that they distinguish. */
const days = {
  day: 'org, team, key_id, model, provider',
  'day-models': `'', '', '', model, provider`,
  'day-keys': `org, team, key_id, '', ''`,
} as const

function sumsOf(columns: string): string {
  return columns
    .split(', ')
    .map(name => `sum(${name})`)
    .join(', ')
}

/** The rows of the records: one for a request and one for each of its attempts. Every error is a vendor's. */
function makeParts(database: DatabaseSync): void {
  database.exec(`
    drop table if exists asked;
    drop table if exists added;
    drop table if exists times;
    create temp table asked as select ${place}, ${member('model')} as model, ${member('provider')} as provider,
      ${member('outcome')} = 'ok' as is_ok, ${member('elapsedMs')} as ms from record, json_each(attempts) as attempt;
    create temp table added as
      select ${place}, model, provider, 1 as requests, status >= 400 as errors, 1100 as input_tokens, 100 as cached_tokens,
        300 as output_tokens, cast(round(cost_usd * 1e9) as integer) as cost, 0 as unpriced, 0 as caller_errors, 0 as policy_errors,
        status >= 400 as vendor_errors, 0 as gateway_errors, 0 as attempts, 0 as failed_attempts, 0 as faults from record;
    insert into added select at, org, team, key_id, model, provider, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, not is_ok, not is_ok from asked;
    create temp table times as
      select ${place}, model, provider, ${duration('elapsed_ms')} as duration, 1 as answers, 0 as attempts from record where status < 400;
    insert into times select at, org, team, key_id, model, provider, ${duration('ms')}, 0, 1 from asked where is_ok`)
}

function addUp(database: DatabaseSync): void {
  makeParts(database)
  database.exec('delete from usage; delete from usage_latency; delete from key_use')
  for (const [bucket, ms, from] of [
    ['minute', 60_000, minutesFrom],
    ['quarter', 900_000, 0],
    ['hour', 3_600_000, 0],
  ] as const) {
    const start = `at - at % ${ms}`
    database.exec(`
      insert into usage select '${bucket}', ${start}, org, team, key_id, model, provider, ${sums}
      from added where at >= ${from} group by ${start}, org, team, key_id, model, provider`)
    database.exec(`
      insert into usage_latency select '${bucket}', ${start}, org, team, key_id, model, provider, duration, ${timeSums}
      from times where at >= ${from} group by ${start}, org, team, key_id, model, provider, duration`)
  }
  for (const [bucket, columns] of Object.entries(days)) {
    const groups = columns.replaceAll(`'', `, '').replaceAll(`, ''`, '')
    database.exec(`
      insert into usage select '${bucket}', ${day}, ${columns}, ${sums} from usage where bucket = 'hour' group by ${day}, ${groups}`)
    database.exec(`
      insert into usage_latency select '${bucket}', ${day}, ${columns}, duration, ${timeSums}
      from usage_latency where bucket = 'hour' group by ${day}, ${groups}, duration`)
  }
  database.exec(
    'insert into key_use select key_id, count(*), sum(cast(round(cost_usd * 1e9) as integer)), max(at) from record group by key_id',
  )
}

function compareSums(database: DatabaseSync): void {
  const tables = ['usage', 'usage_latency', 'key_use']
  for (const table of tables) database.exec(`create temp table sunk_${table} as select * from ${table}`)
  database.exec('begin')
  addUp(database)
  for (const table of tables) {
    const kept = table === 'key_use' ? '' : `where bucket <> 'minute' or at >= ${minutesFrom}`
    const [one, two] = [`select * from sunk_${table} ${kept}`, `select * from ${table}`]
    for (const difference of [`${one} except ${two}`, `${two} except ${one}`]) {
      const row = database.prepare(`${difference} limit 1`).get()
      if (row) throw new Error(`The sink adds up ${table} in another way: ${JSON.stringify(row)}`)
    }
  }
  database.exec('rollback')
}
