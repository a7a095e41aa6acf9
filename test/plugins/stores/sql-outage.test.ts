import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { Reachable } from '../../../plugins/stores/sql/reachable.ts'
import { RowCache } from '../../../plugins/stores/sql/row-cache.ts'
import { Expiry } from '../../../plugins/stores/sql/expiry.ts'
import { DataKeys } from '../../../plugins/stores/sql/data-keys.ts'
import { RecordSink } from '../../../plugins/stores/sql/records/sink.ts'
import { SqlRecords } from '../../../plugins/stores/sql/records/store.ts'
import { SqlResponses } from '../../../plugins/stores/sql/responses.ts'
import { SealedParts } from '../../../plugins/stores/sql/sealed-parts.ts'
import { OpenFile } from '../../../plugins/stores/sql/sqlite/open-file.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { onEveryDatabase, silent, testSealer } from './databases.ts'
import { record } from '../../../core/testing/stores/example-record.ts'
import { response } from '../../../core/testing/stores/response-store-suite.ts'
import { fileOf } from './sql.ts'

const dayMs = 24 * 3_600_000

t.test('cached rows answer while the database is down, for a while', async t => {
  const clock = new FakeClock()
  let loads = 0
  let down = false
  const load = async (id: string): Promise<{ id: string; version: number } | undefined> => {
    loads++
    await Promise.resolve()
    if (down) throw new Error('the database is down')
    return id === 'unknown' ? undefined : { id, version: 1 }
  }
  const cache = new RowCache(
    { now: () => clock.now(), elapsed: () => clock.elapsed() },
    { ttlMs: 1_000, staleMs: 60_000, keepsUnknown: false, load },
  )
  const all = await Promise.all(Array.from({ length: 200 }, () => cache.find('a')))
  t.equal(loads, 1, 'read once for all')
  const [first] = all
  clock.pass(1_001)
  t.equal(await cache.find('a'), first, 'the same object while the row is the same')
  t.equal(loads, 2)
  t.equal(await cache.find('unknown'), undefined)
  t.equal(await cache.find('unknown'), undefined)
  t.equal(loads, 4, 'ids that callers make up are not kept')

  down = true
  clock.pass(2_000)
  t.equal(await cache.find('a'), first)
  t.equal(cache.find('a'), first, 'and nobody waits for the database any more')
  t.equal(loads, 5)
  await t.rejects(Promise.resolve(cache.find('b')), /down/)
  clock.pass(1_001)
  t.equal(cache.find('a'), first)
  t.equal(loads, 7, 'it is asked again in the background')
  clock.pass(60_000)
  await t.rejects(Promise.resolve(cache.find('a')), /down/, 'not for ever')
  down = false
  t.same(await cache.find('a'), first)
  cache.forget('a')
  const before = loads
  await cache.find('a')
  t.equal(loads, before + 1)
})

t.test('a database that does not answer in time holds up nobody whose row is in memory', async t => {
  const awake = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(awake))
  const clock = new FakeClock()
  let answer: Promise<{ readonly id: string } | undefined> = Promise.resolve({ id: 'a' })
  let loads = 0
  const load = () => {
    loads++
    return answer
  }
  const cache = new RowCache<{ readonly id: string }>(clock, { ttlMs: 1_000, staleMs: 60_000, keepsUnknown: false, load })
  const first = await cache.find('a')
  const locked = Promise.withResolvers<{ readonly id: string } | undefined>()
  answer = locked.promise
  clock.pass(1_500)
  t.equal(await cache.find('a'), first, 'after a moment')
  t.equal(cache.find('a'), first, 'then at once')
  t.equal(loads, 2)
  locked.resolve(undefined)
  await locked.promise
  await new Promise(resolve => setImmediate(resolve))
  t.equal(await cache.find('a'), undefined, 'what the database says counts once it is there')
})

t.test('a database that stopped answering is reachable until the cache is too old', async t => {
  const clock = new FakeClock()
  let isDown = false
  let asked = 0
  const reachable = new Reachable(clock, 60_000, async () => {
    asked++
    if (isDown) throw new Error('down')
  })
  t.equal(await reachable.check(), true)
  await Promise.all(Array.from({ length: 200 }, () => reachable.check()))
  t.equal(asked, 1, 'it is asked once a second')
  isDown = true
  clock.pass(2_000)
  t.equal(await reachable.check(), true)
  clock.pass(59_000)
  t.equal(await reachable.check(), true)
  clock.pass(2_000)
  t.equal(await reachable.check(), false)
  isDown = false
  clock.pass(2_000)
  t.equal(await reachable.check(), true)
})

t.test('a failure after which SQLite has rolled back, such as a full disk, keeps its own error', async t => {
  const { database } = await openSqlite(fileOf(t))
  t.teardown(() => database.destroy())
  const insert = sql`insert or rollback into ledger_process (id, seen_at) values ('a', 1)`
  await insert.execute(database)
  for (let time = 1; time <= 2; time++) {
    const transaction = database.transaction().execute(async transaction => await insert.execute(transaction))
    await t.rejects(transaction, { errcode: 1555, message: /UNIQUE constraint failed/ })
  }
})

t.test('a file that is deleted or replaced while it is in use is logged', async t => {
  const path = join(t.testdir({ 'turnpike.db': 'a' }), 'turnpike.db')
  const lines: string[] = []
  const file = new OpenFile(
    path,
    createLogger('info', new Masks(), line => void lines.push(line)),
  )
  await file.start()
  t.teardown(() => file.stop())
  writeFileSync(path, 'changed')
  await file.check()
  t.strictSame(lines, [])
  renameSync(path, `${path}.old`)
  await file.check()
  t.match(lines.splice(0), [/"level":"error".*"file":".*turnpike\.db".*deleted or replaced/])
  writeFileSync(path, 'another')
  await file.check()
  t.equal(lines.splice(0).length, 1)
  renameSync(`${path}.old`, path)
  await file.check()
  t.strictSame(lines, [])
})

onEveryDatabase(t, (t, open) => {
  void t.test('retention by age and organization', async t => {
    const database = await open(t)
    const clock = new FakeClock(Date.UTC(2026, 0, 1) + 200 * dayMs)
    const parts = new SealedParts(new DataKeys(database, testSealer(), clock, silent, 90))
    const sink = new RecordSink(database, parts)
    const store = new SqlRecords(database, clock, parts, silent)
    const responses = new SqlResponses(database, parts, silent)
    const content = { request: { input: 'a' }, response: { output: 'b' } }
    let index = 0
    for (const org of ['example', 'acme', null])
      for (const age of [1, 20, 60, 120])
        await sink.write(
          Array.from({ length: 60 }, () =>
            record(index, { session: `ses_${index++}`, org, owner: org, at: clock.now() - age * dayMs, ...(org !== null && content) }),
          ),
        )
    for (const [org, age] of [
      ['example', 1],
      ['example', 60],
      ['acme', 20],
    ] as const)
      await responses.put(org, { ...response(`${org}${age}`), org, createdAt: clock.now() - age * dayMs })
    const expiry = new Expiry(database, clock, silent, {
      keepRecordsDays: 100,
      keepContentDays: 30,
      keepResponsesDays: 30,
      organizations: { acme: { keepContentDays: 7, keepResponsesDays: 10 } },
    })
    t.same(await expiry.sweep(), { responses: 2, contents: 120 + 180, records: 180 })
    t.same(await expiry.sweep(), { responses: 0, contents: 0, records: 0 })
    t.equal((await store.page({}, { limit: 1_000 })).length, 540)
    t.ok(await responses.get('example', 'example1'))
    t.equal(await responses.get('acme', 'acme20'), undefined)
    const hours = await store.usage({ from: 0, to: clock.now(), bucket: 'day', groupBy: [], limit: 100 })
    t.equal(
      hours.reduce((sum, { requests }) => sum + requests, 0),
      720,
      'sums stay',
    )
    const sessions = await store.usage({ from: 0, to: clock.now(), bucket: 'total', groupBy: ['session'], limit: 1_000 })
    t.equal(sessions.length, 540, 'those of sessions go with the records')
    t.equal((await store.usage({ from: 0, to: clock.now() - 8 * dayMs, bucket: 'minute', groupBy: [], limit: 100 })).length, 0)
  })
})
