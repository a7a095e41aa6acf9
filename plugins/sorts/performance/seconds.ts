import type { Endpoint, MetricWindow, SortView } from '../../../core/index.ts'
import type { LatestAnswers } from '../../../core/stores.ts'

/** The length of the answer whose time is estimated, in tokens. */
const answerTokens = 300
/** The interval weighs as much as this many of the newest answers. */
const intervalWeight = 5
/** With this many answers or more, the estimate stays within this factor of them. */
const fewestSamples = 3
const nearly = 1.2

/**
 * The seconds until an answer is complete: the time to its first event and 300 tokens at the endpoint's speed, divided by the cube of its
 * uptime. Endpoints that have not answered yet get the median of the others. Infinity puts an endpoint last: its circuit is open, or it has
 * only failed.
 */
export function secondsToAnswer(endpoints: readonly Endpoint[], view: SortView): readonly (number | undefined)[] {
  const values: (number | undefined)[] = []
  const known: number[] = []
  let isOneUnknown = false
  for (const endpoint of endpoints) {
    const seconds = view.isOpen(endpoint) ? Infinity : estimate(view.metrics(endpoint), view.latest(endpoint))
    if (seconds === undefined) isOneUnknown = true
    else if (seconds !== Infinity) known.push(seconds)
    values.push(seconds)
  }
  if (!isOneUnknown || known.length === 0) return values
  const usual = medianOf(known)
  return values.map(value => value ?? usual)
}

/** The estimate for an endpoint that has answered or failed. */
function estimate(metrics: MetricWindow, latest: LatestAnswers | undefined): number | undefined {
  const { uptime = 1 } = metrics
  if (uptime === 0) return Infinity
  const seconds = secondsOf(metrics)
  return seconds === undefined ? undefined : weighed(seconds, latest) / uptime ** 3
}

/** The endpoint's newest answers count more than the rest of the interval, and nearly alone after a clear change. */
function weighed(seconds: number, latest: LatestAnswers | undefined): number {
  if (!latest) return seconds
  const { samples, latencyMs, throughput, totalMs } = latest
  const now = latencyMs !== undefined && throughput ? latencyMs / 1000 + answerTokens / throughput : totalMs / 1000
  const mean = (now * samples + seconds * intervalWeight) / (samples + intervalWeight)
  return samples < fewestSamples ? mean : Math.min(Math.max(mean, now / nearly), now * nearly)
}

/** If answers were not streamed, or the vendor does not report its output, only the time of whole answers is known. */
function secondsOf(metrics: MetricWindow): number | undefined {
  const { throughput } = metrics
  const latencyMs = throughput ? metrics.latencyMs(0.5) : undefined
  if (latencyMs !== undefined) return latencyMs / 1000 + answerTokens / throughput!
  const totalMs = metrics.totalMs(0.5)
  return totalMs === undefined ? undefined : totalMs / 1000
}

function medianOf(numbers: number[]): number {
  numbers.sort((a, b) => a - b)
  const middle = numbers.length >> 1
  return numbers.length % 2 === 1 ? numbers[middle]! : (numbers[middle - 1]! + numbers[middle]!) / 2
}
