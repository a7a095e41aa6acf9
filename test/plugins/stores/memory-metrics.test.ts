import t from 'tap'
import type { AttemptSample } from '../../../core/index.ts'
import { Histogram } from '../../../plugins/stores/memory/histogram.ts'
import { MemoryMetrics } from '../../../plugins/stores/memory/metrics.ts'
import { FakeClock } from '../set-up.ts'

const minute = 60_000
const quarter = 15 * minute
const day = 24 * 60 * minute

function sample(at: number, more: Partial<AttemptSample> = {}): AttemptSample {
  const counts = { latencyMs: 200, totalMs: 1200, inputTokens: 100, outputTokens: 50 }
  return { provider: 'acme', model: 'one', listed: true, at, outcome: 'ok', ...counts, ...more }
}

t.test('a histogram knows every quantile to 2 %', async t => {
  const histogram = new Histogram()
  t.equal(histogram.quantile(0.5), undefined)
  const values = Array.from({ length: 10_000 }, (_, index) => 0.5 * 1.0015 ** ((index * 7919) % 10_000))
  for (const value of values) histogram.add(value)
  const sorted = values.toSorted((a, b) => a - b)
  for (const percent of [0, 1, 5, 50, 90, 95, 99, 100]) {
    const exact = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!
    const error = Math.abs(histogram.quantile(percent / 100)! / exact - 1)
    t.ok(error < 0.02, `p${percent} is off by ${(error * 100).toFixed(2)} %`)
  }
})

t.test('values of any size', async t => {
  const histogram = new Histogram()
  for (const value of [86_400_000, 0, 5, 0.001]) histogram.add(value)
  t.ok(histogram.quantile(0)! <= 0.1)
  t.ok(Math.abs(histogram.quantile(0.75)! / 5 - 1) < 0.02)
  t.ok(Math.abs(histogram.quantile(1)! / 86_400_000 - 1) < 0.02)
})

t.test('what is not known is undefined', async t => {
  const metrics = new MemoryMetrics(new FakeClock())
  const window = metrics.window('acme', 'one', quarter)
  t.match(window, { requests: 0, uptime: undefined, inputTokens: 0, outputTokens: 0, throughput: undefined })
  t.equal(window.latencyMs(0.5), undefined)
  metrics.record(sample(new FakeClock().now(), { outcome: 'fault', latencyMs: undefined, inputTokens: 0, outputTokens: 0 }))
  const failed = metrics.window('acme', 'one', quarter)
  t.match(failed, { requests: 1, uptime: 0, throughput: undefined, averageLatencyMs: undefined, averageTotalMs: undefined })
  t.equal(failed.totalMs(0.5), undefined)
})

t.test('counts, rates and averages', async t => {
  const clock = new FakeClock()
  const metrics = new MemoryMetrics(clock)
  metrics.record(sample(clock.now()))
  metrics.record(sample(clock.now(), { latencyMs: 400, totalMs: 2400, outputTokens: 250 }))
  metrics.record(sample(clock.now(), { latencyMs: undefined, totalMs: 600, outputTokens: 10 }))
  metrics.record(sample(clock.now(), { outcome: 'fault', latencyMs: undefined, totalMs: 1, inputTokens: 0, outputTokens: 0 }))
  metrics.record(sample(clock.now(), { outcome: 'neutral', totalMs: 90_000 }))
  metrics.record(sample(clock.now(), { model: 'two' }))
  const window = metrics.window('acme', 'one', quarter)
  t.match(window, {
    requests: 5,
    uptime: 0.8,
    inputTokens: 400,
    outputTokens: 360,
    throughput: 100,
    averageLatencyMs: 300,
    averageTotalMs: 1400,
  })
  t.ok(Math.abs(window.latencyMs(0.5)! / 200 - 1) < 0.02)
  t.ok(Math.abs(window.totalMs(1)! / 2400 - 1) < 0.02)
})

t.test('a window forgets what is older', async t => {
  const clock = new FakeClock()
  const metrics = new MemoryMetrics(clock)
  for (let index = 0; index < 60; index++) {
    metrics.record(sample(clock.now()))
    clock.pass(minute)
  }
  const requests = (intervalMs: number): number => metrics.window('acme', 'one', intervalMs).requests
  t.same([requests(minute), requests(quarter), requests(60 * minute), requests(day)], [1, 15, 60, 60])
  clock.pass(14 * minute)
  t.same([requests(minute), requests(quarter), requests(60 * minute), requests(7 * day)], [0, 1, 46, 60])
  metrics.record(sample(clock.now()))
  t.same([requests(minute), requests(quarter)], [1, 2], 'and sees at once what is new')
})

t.test('an attempt that is told of late counts in its own minute', async t => {
  const clock = new FakeClock()
  const metrics = new MemoryMetrics(clock)
  metrics.record(sample(clock.now()))
  clock.pass(5 * minute)
  t.equal(metrics.window('acme', 'one', quarter).requests, 1)
  metrics.record(sample(clock.now() - 5 * minute))
  t.equal(metrics.window('acme', 'one', quarter).requests, 2)
  metrics.record(sample(clock.now() - 3 * minute))
  metrics.record(sample(clock.now()))
  metrics.record(sample(clock.now() - 4 * minute))
  t.equal(metrics.window('acme', 'one', quarter).requests, 5)
  t.equal(metrics.window('acme', 'one', 3 * minute).requests, 2)
})

t.test('nothing is kept longer than a day', async t => {
  const clock = new FakeClock()
  const metrics = new MemoryMetrics(clock)
  metrics.record(sample(clock.now()))
  clock.pass(day)
  metrics.record(sample(clock.now(), { model: 'two' }))
  t.equal(metrics.window('acme', 'one', 2 * day).requests, 1)
  clock.pass(2 * minute)
  metrics.record(sample(clock.now(), { model: 'two' }))
  t.equal(metrics.window('acme', 'one', 2 * day).requests, 0)
})

t.test('callers who make up models or intervals fill no memory, and displace no endpoint of a catalog', async t => {
  const clock = new FakeClock()
  const metrics = new MemoryMetrics(clock)
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
  const metrics = new MemoryMetrics(clock)
  metrics.record(sample(clock.now(), { listed: false }))
  metrics.record(sample(clock.now()))
  metrics.record(sample(clock.now(), { listed: false }))
  t.equal(metrics.window('acme', 'one', quarter).requests, 3)
})
