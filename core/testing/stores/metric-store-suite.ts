import assert from 'node:assert/strict'
import type { AttemptSample, LatestAnswers, MetricStore, MetricWindow } from '../../contracts/metric-store.ts'
import type { SuiteContext } from '../provider-suite.ts'
import type { Maybe } from '../../runtime/pending.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A metric store under test, without attempts. */
export interface MetricsUnderTest extends Closing {
  /** Empty at first. */
  readonly metrics: MetricStore
  /** The time by the clock of the store, in milliseconds since the epoch. Default: the system's. */
  now?(): number
  /** Moves that clock. Without it, nothing tests what time does. */
  pass?(milliseconds: number): Maybe<void>
}

/** For `metricStoreSuite`. */
export interface MetricStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<MetricsUnderTest>
}

/** Tests for every implementation of `MetricStore`. */
export function metricStoreSuite(t: SuiteContext, { open }: MetricStoreSuiteOptions): void {
  const test = onEachStore(t, open)
  test('unknown metrics are undefined', knowsNothing)
  test('counts, rates and averages', counts)
  test('a window forgets older attempts', forgets)
  test('the latest answers are those of the newest minutes that have three', tellsLatest)
  test('an attempt that is reported late counts in its own minute', countsLate)
  test('models that callers make up displace no endpoint of a catalog', keepsListed)
}

const minuteMs = 60_000
const quarterMs = 15 * minuteMs
const dayMs = 86_400_000

function nowOf({ now = Date.now }: MetricsUnderTest): number {
  return now()
}

function sample(at: number, more: Partial<AttemptSample> = {}): AttemptSample {
  const figures = { latencyMs: 200, totalMs: 1200, inputTokens: 100, outputTokens: 50 }
  return { provider: 'acme', model: 'one', listed: true, at, outcome: 'ok', ...figures, ...more }
}

/** The members of a window may be getters of a class. */
function has<T extends MetricWindow | LatestAnswers>(actual: T | undefined, expected: Partial<T>): void {
  assert.ok(actual)
  for (const name of Object.keys(expected) as (keyof T)[]) assert.equal(actual[name], expected[name], String(name))
}

async function knowsNothing(under: MetricsUnderTest): Promise<void> {
  const { metrics } = under
  const window = metrics.window('acme', 'one', quarterMs)
  has(window, { requests: 0, uptime: undefined, inputTokens: 0, outputTokens: 0, throughput: undefined })
  assert.equal(window.latencyMs(0.5), undefined)
  metrics.record(sample(nowOf(under), { outcome: 'fault', latencyMs: undefined, inputTokens: 0, outputTokens: 0 }))
  const failed = metrics.window('acme', 'one', quarterMs)
  has(failed, { requests: 1, uptime: 0, throughput: undefined, averageLatencyMs: undefined, averageTotalMs: undefined })
  assert.equal(failed.totalMs(0.5), undefined)
}

async function counts(under: MetricsUnderTest): Promise<void> {
  const { metrics } = under
  const at = nowOf(under)
  metrics.record(sample(at))
  metrics.record(sample(at, { latencyMs: 400, totalMs: 2400, outputTokens: 250 }))
  metrics.record(sample(at, { latencyMs: undefined, totalMs: 600, outputTokens: 10 }))
  metrics.record(sample(at, { outcome: 'fault', latencyMs: undefined, totalMs: 1, inputTokens: 0, outputTokens: 0 }))
  metrics.record(sample(at, { outcome: 'neutral', totalMs: 90_000 }))
  metrics.record(sample(at, { model: 'two' }))
  const window = metrics.window('acme', 'one', quarterMs)
  has(window, {
    requests: 5,
    uptime: 0.8,
    inputTokens: 400,
    outputTokens: 360,
    throughput: 100,
    averageLatencyMs: 300,
    averageTotalMs: 1400,
  })
  assert.ok(Math.abs(window.latencyMs(0.5)! / 200 - 1) < 0.02)
  assert.ok(Math.abs(window.totalMs(1)! / 2400 - 1) < 0.02)
}

async function forgets(under: MetricsUnderTest): Promise<void> {
  const { metrics, pass } = under
  if (!pass) return
  for (let index = 0; index < 60; index++) {
    metrics.record(sample(nowOf(under)))
    await pass(minuteMs)
  }
  const requests = (intervalMs: number): number => metrics.window('acme', 'one', intervalMs).requests
  assert.deepEqual([minuteMs, quarterMs, 60 * minuteMs, dayMs].map(requests), [1, 15, 60, 60])
  await pass(14 * minuteMs)
  assert.deepEqual([minuteMs, quarterMs, 61 * minuteMs, 7 * dayMs].map(requests), [0, 1, 47, 60])
  metrics.record(sample(nowOf(under)))
  assert.deepEqual([minuteMs, quarterMs].map(requests), [1, 2], 'and sees new ones at once')
}

async function tellsLatest(under: MetricsUnderTest): Promise<void> {
  const { metrics, pass } = under
  assert.equal(metrics.latest('acme', 'one'), undefined)
  metrics.record(sample(nowOf(under), { outcome: 'fault' }))
  assert.equal(metrics.latest('acme', 'one'), undefined, 'failures are not answers')
  metrics.record(sample(nowOf(under), { latencyMs: 5_000, totalMs: 9_000 }))
  has(metrics.latest('acme', 'one'), { samples: 1, latencyMs: 5_000, totalMs: 9_000, throughput: 12.5 })
  if (!pass) return
  await pass(3 * minuteMs)
  metrics.record(sample(nowOf(under)))
  has(metrics.latest('acme', 'one'), { samples: 2, latencyMs: 2_600 })
  await pass(minuteMs)
  metrics.record(sample(nowOf(under)))
  metrics.record(sample(nowOf(under), { latencyMs: undefined }))
  has(metrics.latest('acme', 'one'), { samples: 3, latencyMs: 200, totalMs: 1_200, throughput: 50 })
  await pass(13 * minuteMs)
  has(metrics.latest('acme', 'one'), { samples: 3 })
  await pass(3 * minuteMs)
  assert.equal(metrics.latest('acme', 'one'), undefined, 'of the last 15 minutes')
}

async function countsLate(under: MetricsUnderTest): Promise<void> {
  const { metrics, pass } = under
  if (!pass) return
  const requests = (intervalMs: number): number => metrics.window('acme', 'one', intervalMs).requests
  metrics.record(sample(nowOf(under)))
  await pass(5 * minuteMs)
  assert.equal(requests(quarterMs), 1)
  metrics.record(sample(nowOf(under) - 5 * minuteMs))
  assert.equal(requests(quarterMs), 2)
  metrics.record(sample(nowOf(under) - 3 * minuteMs))
  metrics.record(sample(nowOf(under)))
  metrics.record(sample(nowOf(under) - 4 * minuteMs))
  assert.equal(requests(quarterMs), 5)
  assert.equal(requests(3 * minuteMs), 2)
}

async function keepsListed(under: MetricsUnderTest): Promise<void> {
  const { metrics } = under
  const at = nowOf(under)
  metrics.record(sample(at))
  for (let index = 0; index < 10_000; index++) metrics.record(sample(at, { model: `made-up-${index}`, listed: false }))
  assert.equal(metrics.window('acme', 'one', quarterMs).requests, 1)
}
