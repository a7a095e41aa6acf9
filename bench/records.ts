// Records in SQLite: how many the sink stores per second, and how long the first page of a query takes over many of them.
// The sink stores the first of them; the others are copies of those, made in the database.
// node --conditions=turnpike-source bench/records.ts [rows]     (default: 5,000,000; takes some minutes and 6 GB of disk)

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { systemClock } from '../core/foundation/clock.ts'
import { createLogger } from '../core/foundation/logger.ts'
import { Masks } from '../core/foundation/masks.ts'
import type { RecordFilter, RequestRecord, UsageQuery } from '../core/index.ts'
import { EnvelopeSealer } from '../plugins/sealers/local/envelope.ts'
import { DataKeys } from '../plugins/stores/sql/data-keys.ts'
import * as usageDays from '../plugins/stores/sql/migrations/0023-usage-days.ts'
import { RecordSink } from '../plugins/stores/sql/records/sink.ts'
import { SqlRecords } from '../plugins/stores/sql/records/store.ts'
import { SealedParts } from '../plugins/stores/sql/sealed-parts.ts'
import { openSqlite } from '../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../plugins/stores/sql/tables.ts'

const rows = Number(process.argv[2] ?? 5_000_000)
const sunk = Math.min(rows, 100_000)
const batch = 500
const keys = 200
/** 90 days. */
const spanMs = 90 * 24 * 60 * 60 * 1000
const end = Date.UTC(2026, 9, 1)
const tries = 20

const folder = mkdtempSync(join(tmpdir(), 'turnpike-records-'))
try {
  const file = join(folder, 'turnpike.db')
  const log = createLogger('warn', new Masks())
  const { database } = await openSqlite(file)
  const sealer = new EnvelopeSealer({ source: 'bench', current: Buffer.alloc(32, 7) })
  const parts = new SealedParts(new DataKeys(database, sealer, systemClock, log, 90))
  const sink = new RecordSink(database, parts, log)
  const store = new SqlRecords(database, systemClock, parts, log)

  let blockedMs = 0
  let tick = performance.now()
  const watch = setInterval(() => {
    blockedMs = Math.max(blockedMs, performance.now() - tick - 5)
    tick = performance.now()
  }, 5)
  const cpu = process.cpuUsage()
  const loop = performance.eventLoopUtilization()
  const start = performance.now()
  for (let index = 0; index < sunk; index += batch)
    await sink.write(Array.from({ length: Math.min(batch, sunk - index) }, (_, offset) => recordAt(index + offset)))
  clearInterval(watch)
  const seconds = (performance.now() - start) / 1000
  report(
    'the sink stored',
    Math.round(sunk / seconds),
    'records per second,',
    sunk,
    'in all;',
    Math.round(statSync(file).size / 2 ** 20),
    'MiB',
  )
  const { user, system } = process.cpuUsage(cpu)
  const { utilization } = performance.eventLoopUtilization(loop)
  report(
    `that took ${((user + system) / sunk).toFixed(0)} µs of processor time per record; the event loop was busy ${(utilization * 100).toFixed(0)}% of the time`,
  )
  report('the event loop was blocked for at most', blockedMs.toFixed(1), 'ms')

  if (rows > sunk) await copyRecords(database)
  report(rows, 'rows,', Math.round(statSync(file).size / 2 ** 20), 'MiB')

  const from = end - spanMs / 2
  const to = end - spanMs / 4
  const filters: Readonly<Record<string, RecordFilter>> = {
    'key, time range, status 200': { key: 'key_3', from, to, status: 200 },
    'key, time range, a rare status': { key: 'key_3', from, to, status: 529 },
    'the largest key, time range, a rare status': { key: 'key_0', from, to, status: 529 },
    'key, time range': { key: 'key_3', from, to },
    everything: {},
    'organization, time range': { org: 'org_4', from, to },
    'a rare status': { status: 529 },
    'model, time range': { model: 'model_7', from, to },
    'by the id of the answer': { id: `resp_${Math.floor(sunk / 3)}` },
  }
  for (const [name, filter] of Object.entries(filters)) {
    const times: number[] = []
    let found = 0
    for (let index = 0; index < tries; index++) {
      const before = performance.now()
      found = (await store.page(filter, { limit: 50 })).length
      times.push(performance.now() - before)
    }
    const [first = 0] = times
    times.sort((a, b) => a - b)
    report(`${name}: first ${first.toFixed(1)} ms, median ${times[tries / 2]!.toFixed(1)} ms, ${found} rows`)
  }
  const charts: Readonly<Record<string, Pick<UsageQuery, 'groupBy' | 'org' | 'key' | 'top' | 'latency'>>> = {
    model: { groupBy: ['model'] },
    'model, with latency': { groupBy: ['model'], latency: true },
    'the 8 largest keys': { groupBy: ['key'], top: 8 },
    'model, of one organization': { groupBy: ['model'], org: 'org_4' },
    'model, of one key': { groupBy: ['model'], key: 'key_3' },
    'model and key, the 8 largest': { groupBy: ['model', 'key'], top: 8 },
  }
  // From the middle of a day, so that hours are read, too.
  const span = { from: end - spanMs + 20_000_000, to: end - 1_000_000 }
  for (const [name, chart] of Object.entries(charts)) {
    const before = performance.now()
    const usage = await store.usage({ ...span, ...chart, bucket: 'day', limit: 10_000 })
    report(`usage of 90 days by ${name}: ${(performance.now() - before).toFixed(1)} ms, ${usage.length} rows`)
  }
  await database.destroy()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Copies the records until there are enough, and adds them all up again. */
async function copyRecords(database: Kysely<Tables>): Promise<void> {
  const { rows: columns } = await sql<{ readonly name: string }>`select name from pragma_table_info('record')`.execute(database)
  const rest = columns.map(({ name }) => sql.ref(name)).slice(3)
  for (let copy = 1; copy < rows / sunk; copy++)
    await sql`insert into record select id || ${`_${copy}`}, answer_id || ${`_${copy}`}, at + ${copy}, ${sql.join(rest)}
      from record where rowid <= ${sunk}`.execute(database)
  for (const table of ['usage', 'usage_latency'] as const) await database.deleteFrom(table).execute()
  const team = sql`coalesce(team, '')`
  const hour = sql`at - at % 3600000`
  await sql`insert into ${sql.table('usage')}
    select 'hour', ${hour}, org, ${team}, key_id, model, provider, count(*), sum(status >= 400), 1100 * count(*), 100 * count(*), 300 * count(*),
      1200000 * count(*), 0 from record group by ${hour}, org, ${team}, key_id, model, provider`.execute(database)
  await sql`insert into usage_latency
    select 'hour', ${hour}, org, ${team}, key_id, model, provider, 37, count(*)
    from record where status < 400 group by ${hour}, org, ${team}, key_id, model, provider`.execute(database)
  await usageDays.up(database as unknown as Kysely<unknown>)
}

function recordAt(index: number): RequestRecord {
  // Half of all requests are made with one key.
  const key = index % 2 === 0 ? 0 : (index * 7_919) % keys
  const status = index % 9_973 === 0 ? 529 : index % 31 === 0 ? 429 : 200
  return {
    id: `req_${((index * 2_654_435_761) % 4_294_967_296).toString(16)}_${index}`,
    answerId: `resp_${index}`,
    at: Math.floor(end - spanMs + (index / sunk) * spanMs),
    method: 'POST',
    path: '/v1/responses',
    status,
    elapsedMs: 812.345,
    keyId: `key_${key}`,
    org: `org_${key % 20}`,
    team: key % 3 === 0 ? 'research' : null,
    user: null,
    owner: `org_${key % 20}`,
    stream: true,
    requestedModel: 'auto',
    model: `model_${index % 17}`,
    provider: `provider_${index % 5}`,
    attempts: [{ provider: `provider_${index % 5}`, model: `model_${index % 17}`, outcome: 'ok', status: 200, elapsedMs: 800 }],
    usage: { uncachedInput: 1_000, cacheRead: 100, cacheWrite5m: 0, cacheWrite1h: 0, output: 300, reasoning: 0 },
    costUsd: 0.0012,
    errorCode: status === 200 ? null : 'rate_limit_exceeded',
    policy: null,
    routing: null,
    notes: [],
    request: null,
    response: null,
  }
}

function report(...words: readonly unknown[]): void {
  console.log(words.join(' '))
}
