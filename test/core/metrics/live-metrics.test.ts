import t from 'tap'
import { addPacked, LiveMetrics, MetricSummary, packSummary, type AttemptSample } from '../../../core/stores.ts'
import { metricStoreSuite } from '../../../core/testing/index.ts'
import { FakeClock } from '../../kit/set-up.ts'

const minute = 60_000
const quarter = 15 * minute
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

function sample(at: number, more: Partial<AttemptSample> = {}): AttemptSample {
  const counts = { latencyMs: 200, totalMs: 1200, inputTokens: 100, outputTokens: 50 }
  return { provider: 'acme', model: 'one', listed: true, at, outcome: 'ok', ...counts, ...more }
}

void t.test('the suite of metric stores', async t =>
  metricStoreSuite(t, {
    open() {
      const clock = new FakeClock()
      return { metrics: new LiveMetrics(clock), now: () => clock.now(), pass: milliseconds => clock.pass(milliseconds) }
    },
  }),
)

t.test('a longer window is kept for 15 minutes', async t => {
  const clock = new FakeClock()
  const metrics = new LiveMetrics(clock)
  const requests = (intervalMs: number): number => metrics.window('acme', 'one', intervalMs).requests
  metrics.record(sample(clock.now()))
  t.same([requests(quarter), requests(hour)], [1, 1])
  metrics.record(sample(clock.now()))
  t.same([requests(quarter), requests(hour)], [2, 1])
  clock.pass(quarter - minute)
  t.same([requests(hour), requests(2 * hour)], [1, 2])
  clock.pass(minute)
  t.same([requests(hour), requests(2 * hour)], [2, 2])
})

t.test('windows of any length are those of the attempts in them', async t => {
  const clock = new FakeClock(Date.UTC(2026, 6, 8, 9, 10, 11))
  const metrics = new LiveMetrics(clock)
  const begin = clock.now()
  const times: number[] = []
  // Dense at first, then rare, so that all levels are used.
  for (let gapMs = 7_000; clock.now() - begin < 3 * year; gapMs *= 1.02) {
    for (let count = 0; count < 5; count++) {
      times.push(clock.now())
      metrics.record(sample(clock.now()))
      clock.pass(gapMs)
    }
  }
  // And dense again.
  for (let count = 0; count < 20_000; count++) {
    times.push(clock.now())
    metrics.record(sample(clock.now()))
    clock.pass(41_000)
  }
  for (const [intervalMs, resolutionMs] of [
    [0, minute],
    [5 * minute, minute],
    [quarter, minute],
    [17 * minute, minute],
    [hour, minute],
    [5 * hour + minute, minute],
    [day, minute],
    [day + minute, hour],
    [3 * day, hour],
    [8 * day, hour],
    [9 * day, day],
    [100 * day, day],
    [110 * day, 7 * day],
    [year, 7 * day],
    [2 * year, 7 * day],
    [50 * year, 7 * day],
    [Infinity, 7 * day],
  ] as const) {
    const first = Math.floor((clock.now() - intervalMs) / resolutionMs) * resolutionMs
    const expected = times.filter(at => at >= first).length
    const window = metrics.window('acme', 'one', intervalMs)
    t.equal(window.requests, expected, `${intervalMs / minute} minutes`)
    t.equal(window.samples, expected)
    t.ok(expected === 0 || Math.abs(window.latencyMs(0.5)! / 200 - 1) < 0.02)
  }
})

t.test('a year of a busy endpoint takes little memory, and so does a day of minutes', async t => {
  const random = randomFrom(7)
  const busy = (): MetricSummary => {
    const summary = new MetricSummary()
    // The spread of real latencies: p99 is some five times p50.
    for (let count = 0; count < 2_000; count++) {
      const latencyMs = 400 * Math.exp(0.6 * normal(random))
      summary.add(sample(0, { latencyMs, totalMs: latencyMs + 4_000 * Math.exp(0.6 * normal(random)) }))
    }
    return summary
  }
  const minutes = packSummary(busy()).length * 24 * 60
  t.ok(minutes < 1e6, `a day of minutes: ${minutes} bytes`)
  const day = busy()
  for (let doubled = 0; doubled < 6; doubled++) day.merge(day)
  const periods = 8 * 24 + 15 * 7 + 52
  const inAYear = packSummary(day).length * periods
  t.ok(inAYear < 200_000, `a year: ${inAYear} bytes`)
})

t.test('a store that saves changes and restores them loses and doubles nothing', async t => {
  const clock = new FakeClock()
  const saved = new Map<string, Uint8Array>()
  const restart = (): LiveMetrics => {
    const metrics = new LiveMetrics(clock)
    for (const [key, bytes] of saved) {
      const [, model, minuteNumber] = key.split(' ')
      const summary = new MetricSummary()
      addPacked(summary, bytes)
      metrics.restore('acme', model!, 0, Number(minuteNumber), summary)
    }
    return metrics
  }
  const save = (metrics: LiveMetrics, writer: number): number => {
    let changes = 0
    metrics.takeChanges((_, model, minuteNumber, summary) => {
      changes++
      saved.set(`${writer} ${model} ${minuteNumber}`, packSummary(summary))
    })
    return changes
  }
  let metrics = restart()
  for (let writer = 0; writer < 6; writer++) {
    metrics = restart()
    for (let count = 0; count < 10; count++) {
      metrics.record(sample(clock.now()))
      metrics.record(sample(clock.now(), { model: 'two', outcome: 'fault' }))
      metrics.record(sample(clock.now(), { model: 'unlisted', listed: false }))
      clock.pass(10_000)
      if (count % 4 === 3) save(metrics, writer)
    }
    t.equal(save(metrics, writer), 2)
    t.equal(save(metrics, writer), 0, 'nothing has changed since')
  }
  metrics = restart()
  const requests = (model: string, intervalMs: number): number => metrics.window('acme', model, intervalMs).requests
  t.same([requests('one', quarter), requests('one', hour), requests('one', year)], [60, 60, 60])
  t.equal(metrics.window('acme', 'two', year).uptime, 0)
  t.equal(requests('unlisted', quarter), 0, 'made-up names are not saved')
  clock.pass(30 * minute)
  metrics = restart()
  t.same([requests('one', quarter), requests('one', hour), requests('one', year)], [0, 60, 60])
})

t.test('damaged bytes are refused', async t => {
  const summary = new MetricSummary()
  for (let count = 0; count < 50; count++) summary.add(sample(0, { latencyMs: 2 ** (count % 12), totalMs: 1000 + count }))
  const bytes = packSummary(summary)
  for (let length = 0; length < bytes.length; length++) t.throws(() => addPacked(new MetricSummary(), bytes.subarray(0, length)))
  t.throws(() => addPacked(new MetricSummary(), new Uint8Array([...bytes, 0])))
  const random = randomFrom(3)
  for (let round = 0; round < 2_000; round++) {
    const damaged = Uint8Array.from(bytes, byte => (random() < 0.05 ? Math.floor(random() * 256) : byte))
    try {
      addPacked(new MetricSummary(), damaged)
    } catch (error) {
      t.ok(error instanceof RangeError, String(error))
    }
  }
})

t.test('numbers that make no sense spoil nothing', async t => {
  const clock = new FakeClock()
  const metrics = new LiveMetrics(clock)
  for (const nonsense of [Number.NaN, Infinity, -Infinity, -5, Number.MAX_VALUE]) {
    metrics.record(sample(clock.now(), { latencyMs: nonsense, totalMs: nonsense, inputTokens: nonsense, outputTokens: nonsense }))
  }
  metrics.takeChanges((_provider, _model, _minute, summary) => addPacked(new MetricSummary(), packSummary(summary)))
  const window = metrics.window('acme', 'one', quarter)
  t.equal(window.requests, 5)
  for (const value of [window.inputTokens, window.throughput, window.averageTotalMs, window.latencyMs(1), window.totalMs(0.5)])
    t.ok(value === undefined || Number.isFinite(value), String(value))
  t.equal(metrics.window('acme', 'one', Number.NaN).requests, 5)
  t.equal(metrics.window('acme', 'one', -hour).requests, 5)
})

t.test('a clock that is set back or forward', async t => {
  const clock = new FakeClock()
  const metrics = new LiveMetrics(clock)
  const requests = (intervalMs: number): number => metrics.window('acme', 'one', intervalMs).requests
  for (const stepMs of [0, -hour, 2 * hour, -day, 3 * day, -3 * hour]) {
    clock.pass(stepMs)
    metrics.record(sample(clock.now()))
    t.ok(requests(quarter) >= 1)
    t.ok(requests(hour) >= 1)
  }
  clock.pass(5 * day)
  metrics.record(sample(clock.now()))
  t.equal(requests(quarter), 1)
  t.equal(requests(year), 7)
})

t.test('callers who make up models or intervals fill no memory, and displace no endpoint of a catalog', async t => {
  const clock = new FakeClock()
  const metrics = new LiveMetrics(clock)
  const requests = (model: string, intervalMs = quarter): number => metrics.window('acme', model, intervalMs).requests
  metrics.record(sample(clock.now()))
  metrics.record(sample(clock.now(), { model: 'own', listed: false }))
  for (let index = 0; index < 10_000; index++) {
    metrics.record(sample(clock.now(), { model: `made-up-${index}`, listed: false }))
    if (index % 500 === 0) metrics.record(sample(clock.now(), { model: 'own', listed: false }))
  }
  t.equal(requests('one'), 1)
  t.equal(requests('own'), 21, 'what is used stays')
  t.equal(requests('made-up-0'), 0)
  t.equal(requests('made-up-9999'), 1)
  const listed = Array.from({ length: 2_000 }, (_, index) => `listed-${index}`)
  for (const model of listed) metrics.record(sample(clock.now(), { model }))
  t.ok(
    listed.every(model => requests(model) === 1),
    'catalogs may be large',
  )
  const intervals = Array.from({ length: 100 }, (_, index) => (index + 1) * minute)
  t.ok(intervals.every(interval => requests('one', interval) === 1))
})

t.test('an endpoint that comes to be listed keeps what is known of it', async t => {
  const clock = new FakeClock()
  const metrics = new LiveMetrics(clock)
  metrics.record(sample(clock.now(), { listed: false }))
  metrics.record(sample(clock.now()))
  metrics.record(sample(clock.now(), { listed: false }))
  t.equal(metrics.window('acme', 'one', quarter).requests, 3)
})

/** Numbers from 0 to 1, always the same ones: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
