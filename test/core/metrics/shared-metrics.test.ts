import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { MetricExchange } from '../../../core/coordination/metric-exchange.ts'
import { Coordinated, LiveMetrics, MemoryCoordination, type AttemptSample } from '../../../core/stores.ts'
import { metricStoreSuite } from '../../../core/testing/index.ts'
import { SavedMetrics } from '../../../plugins/stores/sql/saved-metrics.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { silent } from '../../plugins/stores/databases.ts'
import { fileOf } from '../../plugins/stores/sql.ts'
import { WeakService } from '../coordination/weak-service.ts'

const minuteMs = 60_000
const quarterMs = 15 * minuteMs

interface Process {
  readonly metrics: LiveMetrics
  readonly coordinated: Coordinated
  readonly service: WeakService
  readonly exchange: MetricExchange
  record(count?: number, more?: Partial<AttemptSample>): void
  readonly requests: number
}

/** Processes whose metrics are those of all. */
class Processes {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 1, 0, 0, 30))
  engine = new MemoryCoordination(this.clock)
  readonly all: Process[] = []
  readonly #t: Test

  constructor(t: Test) {
    this.#t = t
  }

  async start(metrics = new LiveMetrics(this.clock)): Promise<Process> {
    const { clock } = this
    const coordinated = new Coordinated(clock, silent)
    const service = new WeakService(this.engine.member(`process ${this.all.length}`))
    await coordinated.connect(service, 'test')
    const exchange = new MetricExchange(coordinated, metrics.share())
    await exchange.start()
    this.#t.teardown(async () => {
      await exchange.stop()
      await coordinated.stop()
    })
    const process = {
      metrics,
      coordinated,
      service,
      exchange,
      record: (count = 1, more: Partial<AttemptSample> = {}) => {
        for (let made = 0; made < count; made++) metrics.record(sample(clock.now(), more))
      },
      get requests() {
        return metrics.window('acme', 'one', quarterMs).requests
      },
    }
    this.all.push(process)
    return process
  }

  /** Lets a second pass, then all processes exchange twice: the second time, the others get what one sent. */
  async second(): Promise<void> {
    this.clock.pass(1_000)
    for (let times = 0; times < 2; times++) for (const { exchange } of this.all) await exchange.run()
  }

  get requests(): readonly number[] {
    return this.all.map(({ requests }) => requests)
  }
}

function sample(at: number, more: Partial<AttemptSample> = {}): AttemptSample {
  const counts = { latencyMs: 200, totalMs: 1200, inputTokens: 100, outputTokens: 50 }
  return { provider: 'acme', model: 'one', listed: true, at, outcome: 'ok', ...counts, ...more }
}

void t.test('the suite of metric stores, of one that shares', async t =>
  metricStoreSuite(t, {
    open() {
      const clock = new FakeClock()
      const metrics = new LiveMetrics(clock)
      const sharing = metrics.share()
      const member = new MemoryCoordination(clock).member('one')
      let since: string | undefined
      const exchange = async (): Promise<void> => {
        const answer = await member.exchange(sharing.take(100), since)
        since = answer.since
        sharing.receive(answer.sums)
      }
      return {
        metrics,
        now: () => clock.now(),
        pass: async milliseconds => {
          await exchange()
          clock.pass(milliseconds)
          await exchange()
        },
      }
    },
  }),
)

t.test('windows and the latest answers are those of all processes, and a second does not change them', async t => {
  const processes = new Processes(t)
  const [one, two, three] = [await processes.start(), await processes.start(), await processes.start()]
  one.record(3)
  t.same(processes.requests, [3, 0, 0])
  await processes.second()
  t.same(processes.requests, [3, 3, 3])
  two.record(2, { latencyMs: 400, totalMs: 2400, outputTokens: 250 })
  three.record(1, { outcome: 'fault' })
  one.record(1)
  t.same(processes.requests, [4, 5, 4], 'its own at once')
  for (let seconds = 0; seconds < 3; seconds++) await processes.second()
  t.same(processes.requests, [7, 7, 7])
  const windows = processes.all.map(({ metrics }) => metrics.window('acme', 'one', quarterMs))
  for (const window of windows) {
    t.match(window, { samples: 6, inputTokens: 700, outputTokens: 750, averageLatencyMs: (4 * 200 + 2 * 400) / 6 })
    t.ok(Math.abs(window.latencyMs(1)! / 400 - 1) < 0.02)
    t.ok(Math.abs(window.uptime! - 6 / 7) < 1e-9)
  }
  for (const { metrics } of processes.all) t.match(metrics.latest('acme', 'one'), { samples: 6 })
  processes.clock.pass(14 * minuteMs)
  t.same(processes.requests, [7, 7, 7])
  processes.clock.pass(2 * minuteMs)
  await processes.second()
  t.same(processes.requests, [0, 0, 0], 'and they forget')
  t.equal(one.metrics.window('acme', 'one', 3_600_000).requests, 7, 'an hour has them')
})

t.test('a process that starts late has the sums that are kept', async t => {
  const processes = new Processes(t)
  const one = await processes.start()
  one.record(5)
  await processes.second()
  const late = await processes.start()
  t.equal(late.requests, 5, 'before its first request')
})

t.test('while the service is down each goes by what it knows, and all of it counts once when it is back', async t => {
  const processes = new Processes(t)
  const [one, two] = [await processes.start(), await processes.start()]
  one.record(2)
  await processes.second()
  for (const { service, coordinated } of processes.all) {
    service.mode = 'fails'
    await coordinated.beat()
  }
  one.record(3)
  two.record(4)
  for (let seconds = 0; seconds < 5; seconds++) await processes.second()
  t.same(processes.requests, [5, 6])
  for (const { service, coordinated } of processes.all) {
    service.resume()
    do await coordinated.beat()
    while (!coordinated.isUp)
  }
  for (let seconds = 0; seconds < 3; seconds++) await processes.second()
  t.same(processes.requests, [9, 9])
})

t.test('an answer that is late is not asked for twice, so nothing counts twice', async t => {
  const processes = new Processes(t)
  const [one, two] = [await processes.start(), await processes.start()]
  one.record(2)
  one.service.mode = 'stalls'
  const late = one.exchange.run()
  void one.coordinated.beat()
  while (one.coordinated.isUp) await delay(5)
  one.service.resume()
  await late
  do await one.coordinated.beat()
  while (!one.coordinated.isUp)
  one.record(1)
  for (let seconds = 0; seconds < 3; seconds++) await processes.second()
  t.same([one.requests, two.requests], [3, 3])
})

t.test('what the service has lost is there again, from all who recorded it', async t => {
  const processes = new Processes(t)
  const [one, two] = [await processes.start(), await processes.start()]
  one.record(2)
  two.record(3)
  await processes.second()
  processes.clock.pass(minuteMs)
  one.record(4)
  await processes.second()
  processes.engine = new MemoryCoordination(processes.clock)
  for (const [index, { service, coordinated }] of processes.all.entries()) {
    service.service = processes.engine.member(`process ${index}`)
    await coordinated.beat()
  }
  for (let seconds = 0; seconds < 2; seconds++) await processes.second()
  t.same(processes.requests, [9, 9])
  t.equal((await processes.start()).requests, 9)
})

t.test('many endpoints are exchanged in parts, all of them', async t => {
  const processes = new Processes(t)
  const [one, two] = [await processes.start(), await processes.start()]
  for (let model = 0; model < 333; model++) one.record(1, { model: `m${model}` })
  await processes.second()
  const known = Array.from({ length: 333 }, (_, model) => two.metrics.window('acme', `m${model}`, quarterMs).requests)
  t.ok(known.every(requests => requests === 1))
  t.equal(one.service.asked.filter(name => name === 'exchange').length, 1 + 7 + 1, 'the first, the parts, and the second time')
})

t.test('models that callers make up stay in their process, and so do minutes of a clock that is far off', async t => {
  const processes = new Processes(t)
  const [one, two] = [await processes.start(), await processes.start()]
  for (let made = 0; made < 100; made++) one.metrics.record(sample(processes.clock.now(), { model: `made-up-${made}`, listed: false }))
  one.metrics.record(sample(processes.clock.now() + 3_600_000))
  one.record(1)
  await processes.second()
  t.equal(two.requests, 1)
  t.equal(two.metrics.window('acme', 'made-up-1', quarterMs).requests, 0)
  const member = processes.engine.member('stranger')
  const names = ['{', '[]', '["metrics",null,"acme","one"]', '["other",1]', '["metrics",1]', 'é']
  await member.exchange(
    names.map(name => ({ name, counts: { 0: 1, l99999: 1, t1: -1, x: 5 }, forMs: minuteMs })),
    undefined,
  )
  await processes.second()
  t.equal(two.requests, 1)
})

t.test('on one database, no attempt counts twice, and what the service lost is still there', async t => {
  const file = fileOf(t)
  const processes = new Processes(t)
  const { clock } = processes
  const start = async (): Promise<{ readonly process: Process; readonly saved: SavedMetrics }> => {
    const { database } = await openSqlite(file)
    const metrics = new LiveMetrics(clock)
    const saved = new SavedMetrics(database, metrics, clock, silent)
    await saved.start()
    t.teardown(async () => {
      await saved.stop()
      await database.destroy()
    })
    return { process: await processes.start(metrics), saved }
  }
  const one = await start()
  const two = await start()
  one.process.record(2)
  two.process.record(3)
  await processes.second()
  for (const { saved } of [one, two]) await saved.save()
  two.process.record(1)
  await processes.second()
  const three = await start()
  t.same(processes.requests, [6, 6, 6], 'the sum has what the database has, and more')
  three.process.record(1)
  await processes.second()
  for (const { saved } of [one, two, three]) await saved.save()
  processes.engine = new MemoryCoordination(clock)
  processes.all.length = 0
  const later = await start()
  t.equal(later.process.requests, 7, 'all others have ended, and the service with them')
  later.process.record(2)
  await processes.second()
  t.equal(later.process.requests, 9)
})
