// Records in SQLite: how many the sink stores per second, and how long pages, charts and retention take over many of them.
// The sink stores the first of them; the others are copies of those, made in the database.
// node --conditions=turnpike-source bench/records.ts [rows] [file]     (default: 5,000,000; takes about 6 minutes and 5 GB of disk)
// With a file, the rows stay there for the next run, which does not make them again.

import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../core/foundation/clock.ts'
import { createLogger } from '../core/foundation/logger.ts'
import { Masks } from '../core/foundation/masks.ts'
import { EnvelopeSealer } from '../plugins/sealers/local/envelope.ts'
import { DataKeys } from '../plugins/stores/sql/data-keys.ts'
import { Expiry } from '../plugins/stores/sql/expiry.ts'
import { RecordSink } from '../plugins/stores/sql/records/sink.ts'
import { SqlRecords } from '../plugins/stores/sql/records/store.ts'
import { SealedParts } from '../plugins/stores/sql/sealed-parts.ts'
import { connectSqlite, openSqlite } from '../plugins/stores/sql/sqlite/open.ts'
import { queryRecords } from './record-queries.ts'
import { copyRecords, end, recordAt, spanMs } from './record-rows.ts'
import { scratchFolder } from './scratch.ts'
import { quantile } from './statistics.ts'

const rows = Number(process.argv[2] ?? 5_000_000)
const sunk = Math.min(rows, 100_000)
const added = 20_000
const batch = 500

const file = process.argv[3] ?? join(scratchFolder(), 'turnpike.db')
const isThere = existsSync(file)
const log = createLogger('warn', new Masks())
const { database } = await openSqlite(file)
const reader = connectSqlite(file)
try {
  const sealer = new EnvelopeSealer({ source: 'bench', current: Buffer.alloc(32, 7) })
  const parts = new SealedParts(new DataKeys(database, sealer, systemClock, log, 90))
  const sink = new RecordSink(database, parts)
  const store = new SqlRecords(database, systemClock, parts, log, reader)

  if (!isThere) {
    report(`the sink stored ${await write(sink, 0, sunk, end - spanMs, spanMs / sunk)}`)
    const start = performance.now()
    copyRecords(file, sunk, rows)
    report(`${rows} rows, ${megabytes()} MB, made in ${((performance.now() - start) / 1000).toFixed(0)} s`)
  }
  await queryRecords(store, report)

  report(`beyond ${rows} rows, the sink stored ${await write(sink, rows, added, end, 1)}`)
  for (const table of ['record_asked', 'record'] as const) await database.deleteFrom(table).where('at', '>=', end).execute()
  await expireOneDay(sink)
} finally {
  await Promise.all([database.destroy(), reader.destroy()])
}

/** The time to delete the records of the first day while the sink continues. */
async function expireOneDay(sink: RecordSink): Promise<void> {
  const clock = { ...systemClock, now: () => end }
  const expiry = new Expiry(database, clock, log, { keepRecordsDays: 89, organizations: {} })
  const start = performance.now()
  let isOver = false
  const sweep = expiry.sweep().finally(() => (isOver = true))
  const waits: number[] = []
  for (let index = rows + added; !isOver; index++) {
    const before = performance.now()
    await sink.write([recordAt(index, end + index)])
    waits.push(performance.now() - before)
  }
  const { records } = await sweep
  const seconds = (performance.now() - start) / 1000
  report(`retention deleted ${records} records, ${Math.round(records / seconds)} per second, in batches of 50`)
  report(`meanwhile, the sink waited ${quantile(waits, 0.5).toFixed(1)} ms for a write, at most ${Math.max(...waits).toFixed(1)} ms`)
}

/** Returns how it went. */
async function write(sink: RecordSink, first: number, count: number, from: number, apartMs: number): Promise<string> {
  const records = Array.from({ length: count }, (_, index) => recordAt(first + index, Math.floor(from + index * apartMs)))
  let blockedMs = 0
  let tick = performance.now()
  const watch = setInterval(() => {
    blockedMs = Math.max(blockedMs, performance.now() - tick - 5)
    tick = performance.now()
  }, 5)
  const cpu = process.cpuUsage()
  const loop = performance.eventLoopUtilization()
  const start = performance.now()
  for (let index = 0; index < count; index += batch) await sink.write(records.slice(index, index + batch))
  clearInterval(watch)
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const { utilization } = performance.eventLoopUtilization(loop)
  return [
    `${Math.round(count / seconds)} records per second, ${count} in all`,
    `${((user + system) / count).toFixed(0)} µs of CPU time per record, ${((utilization * seconds * 1e6) / count).toFixed(0)} of them in the event loop`,
    `which was blocked for at most ${blockedMs.toFixed(1)} ms`,
  ].join('; ')
}

function megabytes(): number {
  return Math.round(statSync(file).size / 1e6)
}

function report(text: string): void {
  console.log(text)
}
