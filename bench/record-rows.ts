import { DatabaseSync } from 'node:sqlite'
import type { RequestRecord } from '../core/index.ts'

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
  return {
    id: `req_${((index * 2_654_435_761) % 4_294_967_296).toString(16)}_${index}`,
    answerId: `resp_${index}`,
    at,
    method: 'POST',
    path: '/v1/responses',
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
    attempts: [{ provider, model: `model_${model}`, outcome: 'ok', status: 200, elapsedMs: 800 }],
    usage: { uncachedInput: 1_000, cacheRead: 100, cacheWrite5m: 0, cacheWrite1h: 0, output: 300, reasoning: 0 },
    costUsd: index % 9_967 === 5 ? 2.5 : index % 211 === 3 ? 0.25 : index % 13 === 1 ? 0.03 : 0.0012,
    errorCode: status === 200 ? null : 'rate_limit_exceeded',
    policy: null,
    routing: null,
    notes: [],
    request: null,
    response: null,
  }
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
}

const day = 'at - at % 86400000'
const sumColumns = 'requests, errors, input_tokens, cached_tokens, output_tokens, cost, unpriced'
const sums = sumColumns
  .split(', ')
  .map(name => `sum(${name})`)
  .join(', ')

/** The kinds of days, with the columns that they distinguish. */
const days = {
  day: 'org, team, key_id, model, provider',
  'day-models': `'', '', '', model, provider`,
  'day-keys': `org, team, key_id, '', ''`,
} as const

function addUp(database: DatabaseSync): void {
  database.exec('delete from usage; delete from usage_latency; delete from key_use')
  for (const [bucket, ms, from] of [
    ['minute', 60_000, minutesFrom],
    ['quarter', 900_000, 0],
    ['hour', 3_600_000, 0],
  ] as const) {
    const start = `at - at % ${ms}`
    database.exec(`
      insert into usage select '${bucket}', ${start}, org, coalesce(team, ''), key_id, model, provider,
        count(*), sum(status >= 400), 1100 * count(*), 100 * count(*), 300 * count(*), sum(cast(round(cost_usd * 1e9) as integer)), 0
      from record where at >= ${from} group by ${start}, org, team, key_id, model, provider`)
    const duration = 'cast(ceil(ln(elapsed_ms) / ln(1.1)) as integer)'
    database.exec(`
      insert into usage_latency select '${bucket}', ${start}, org, coalesce(team, ''), key_id, model, provider, ${duration}, count(*)
      from record where at >= ${from} and status < 400 group by ${start}, org, team, key_id, model, provider, ${duration}`)
  }
  for (const [bucket, columns] of Object.entries(days)) {
    const groups = columns.replaceAll(`'', `, '').replaceAll(`, ''`, '')
    database.exec(`
      insert into usage select '${bucket}', ${day}, ${columns}, ${sums} from usage where bucket = 'hour' group by ${day}, ${groups}`)
    database.exec(`
      insert into usage_latency select '${bucket}', ${day}, ${columns}, duration, sum(answers)
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
