import t from 'tap'
import { LiveMetrics, type AttemptSample } from '../../../core/stores.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { testGateway } from '../../../core/testing/index.ts'
import models from '../../../plugins/endpoints/models/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { SavedMetrics } from '../../../plugins/stores/sql/saved-metrics.ts'
import { listing } from '../../kit/stage.ts'
import { hello, saying } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { onEveryDatabase, silent } from './databases.ts'
import { fileOf, masterKey, run } from './sql.ts'

const minute = 60_000
const quarter = 15 * minute
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

function sample(at: number, more: Partial<AttemptSample> = {}): AttemptSample {
  const counts = { latencyMs: 200, totalMs: 1200, inputTokens: 100, outputTokens: 50 }
  return { provider: 'acme', model: 'one', listed: true, at, outcome: 'ok', ...counts, ...more }
}

onEveryDatabase(t, (t, open) => {
  void t.test('saved metrics of every gateway survive a restart', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    const start = async (): Promise<{ readonly metrics: LiveMetrics; readonly saved: SavedMetrics }> => {
      const metrics = new LiveMetrics(clock)
      const saved = new SavedMetrics(database, metrics, clock, silent)
      t.teardown(() => saved.stop())
      await saved.start()
      return { metrics, saved }
    }
    const [one, other] = [await start(), await start()]
    for (let count = 0; count < 30; count++) {
      one.metrics.record(sample(clock.now()))
      other.metrics.record(sample(clock.now(), { outcome: 'fault' }))
      other.metrics.record(sample(clock.now(), { model: 'two', provider: `it's "globex"` }))
      other.metrics.record(sample(clock.now(), { model: 'unlisted', listed: false }))
      if (count % 7 === 0) await Promise.all([one.saved.save(), other.saved.save()])
      clock.pass(minute / 2)
    }
    await Promise.all([one.saved.stop(), other.saved.stop()])

    const after = await start()
    const recent = after.metrics.window('acme', 'one', 14 * minute)
    t.match(recent, { requests: 56, samples: 28, uptime: 0.5, inputTokens: 5_600, throughput: 50 })
    t.ok(Math.abs(recent.latencyMs(0.99)! / 200 - 1) < 0.02)
    t.equal(after.metrics.window(`it's "globex"`, 'two', 14 * minute).requests, 28)
    t.equal(after.metrics.window('acme', 'unlisted', quarter).requests, 0, 'callers make names up')

    after.metrics.record(sample(clock.now()))
    await after.saved.save()
    const again = await start()
    await again.saved.save()
    t.equal(again.metrics.window('acme', 'one', hour).requests, 61, 'nothing counts twice')
  })

  void t.test('old periods are rolled up, and every interval is answered after a restart', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    const times: number[] = []
    for (const stepMs of [minute, 20 * minute, 7 * hour, 3 * day, 40 * day]) {
      const metrics = new LiveMetrics(clock)
      const saved = new SavedMetrics(database, metrics, clock, silent)
      await saved.start()
      for (let count = 0; count < 20; count++) {
        times.push(clock.now())
        metrics.record(sample(clock.now()))
        await saved.save()
        clock.pass(stepMs)
      }
      await saved.rollUp()
      await saved.stop()
    }
    const metrics = new LiveMetrics(clock)
    const saved = new SavedMetrics(database, metrics, clock, silent)
    t.teardown(() => saved.stop())
    await saved.start()
    await saved.rollUp()
    for (const [intervalMs, resolutionMs] of [
      [day, minute],
      [100 * day, day],
      [year, 7 * day],
      [3 * year, 7 * day],
      [10 * year, 7 * day],
    ] as const) {
      const first = Math.floor((clock.now() - intervalMs) / resolutionMs) * resolutionMs
      t.equal(metrics.window('acme', 'one', intervalMs).requests, times.filter(at => at >= first).length, `${intervalMs / day} days`)
    }
    const rows = await database.selectFrom('metric').select(['level', 'first_minute']).execute()
    t.ok(rows.length < 60, `${rows.length} rows`)
    t.ok(rows.every(({ level, first_minute }) => level === 3 || first_minute * minute > clock.now() - 106 * day))
  })

  void t.test('two gateways that roll up at once count nothing twice', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    const both = [1, 2].map(() => {
      const metrics = new LiveMetrics(clock)
      return { metrics, saved: new SavedMetrics(database, metrics, clock, silent) }
    })
    for (let count = 0; count < 90; count++) {
      for (const { metrics } of both) metrics.record(sample(clock.now()))
      for (const { saved } of both) await saved.save()
      clock.pass(minute)
    }
    clock.pass(2 * day)
    await Promise.all(both.map(({ saved }) => saved.rollUp()))
    const metrics = new LiveMetrics(clock)
    const saved = new SavedMetrics(database, metrics, clock, silent)
    t.teardown(() => saved.stop())
    await saved.start()
    await saved.save()
    t.equal(metrics.window('acme', 'one', 7 * day).requests, 180)
  })

  void t.test('a damaged row, and a database that is gone', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    const lines: string[] = []
    const log = createLogger('info', new Masks(), line => lines.push(line))
    const row = { level: 0, first_minute: Math.floor(clock.now() / minute), provider: 'acme', model: 'one', writer: 'w' }
    await database
      .insertInto('metric')
      .values([
        { ...row, summary: new Uint8Array([1, 2, 3]) },
        { ...row, model: 'two', summary: new Uint8Array() },
      ])
      .execute()
    const metrics = new LiveMetrics(clock)
    const saved = new SavedMetrics(database, metrics, clock, log)
    await saved.start()
    t.match(lines.join('\n'), /"rows":2,"message":"stored metrics cannot be read/)
    t.equal(metrics.window('acme', 'one', quarter).requests, 0)

    await saved.save()
    await database.schema.alterTable('metric').renameTo('elsewhere').execute()
    metrics.record(sample(clock.now()))
    await saved.save()
    metrics.record(sample(clock.now()))
    await saved.save()
    t.equal(lines.filter(line => line.includes('could not be written')).length, 1, 'said once')
    await database.schema.alterTable('elsewhere').renameTo('metric').execute()
    await saved.save()
    t.match(lines.at(-1), /metrics are written again/)
    await saved.stop()
    const again = new LiveMetrics(clock)
    const restarted = new SavedMetrics(database, again, clock, silent)
    t.teardown(() => restarted.stop())
    await restarted.start()
    t.equal(again.window('acme', 'one', quarter).requests, 2)
  })
})

t.test('a gateway shows after a restart what it measured before', async t => {
  const file = fileOf(t)
  const open = async () =>
    await testGateway({
      plugins: [
        memory({ services: ['limits', 'ledger'] }),
        sql({ file }),
        localSealer({ masterKey }),
        responses({}),
        models({}),
        saying('acme', hello),
        listing({ model: 'small', endpoints: [{ provider: 'acme' }] }),
      ],
    })
  const requests = async (under: Awaited<ReturnType<typeof open>>): Promise<number> => {
    const reply = await under.request('/v1/models/small?interval=1d')
    return ((await reply.json()) as { providers: { acme: { metrics: { requests: number } } } }).providers.acme.metrics.requests
  }
  for (const expected of [0, 3, 6]) {
    const under = await open()
    t.equal(await requests(under), expected)
    for (let count = 0; count < 3; count++)
      await (await under.request('/v1/responses', { method: 'POST', body: { model: 'small', input: 'canary-7' } })).text()
    await under.gateway.stop()
  }
  t.notMatch(JSON.stringify(run(file, 'select provider, model from metric')), 'canary')
})
