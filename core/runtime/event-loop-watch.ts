import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 20
const spanMs = 10_000
/** A minute, so that readers who ask once a minute miss no stall. */
const keptSpans = 6

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>

interface Span {
  readonly count: number
  readonly meanMs: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Watches how late the event loop is, from the first reading on. Any number of readers get the same: nothing is reset by reading. */
export class EventLoopWatch {
  #histogram: IntervalHistogram | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #spans: Span[] = []

  /** Of the last minute. */
  read(): Omit<Span, 'count'> {
    const spans = [...this.#spans, spanOf(this.#begun())]
    const count = spans.reduce((sum, span) => sum + span.count, 0)
    const total = spans.reduce((sum, span) => sum + span.count * span.meanMs, 0)
    return {
      meanMs: count === 0 ? 0 : total / count,
      p99Ms: Math.max(...spans.map(({ p99Ms }) => p99Ms)),
      maxMs: Math.max(...spans.map(({ maxMs }) => maxMs)),
    }
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#histogram?.disable()
    this.#histogram = undefined
  }

  #begun(): IntervalHistogram {
    if (this.#histogram) return this.#histogram
    const histogram = (this.#histogram = monitorEventLoopDelay({ resolution: resolutionMs }))
    histogram.enable()
    this.#timer = setInterval(() => {
      this.#spans.push(spanOf(histogram))
      if (this.#spans.length >= keptSpans) this.#spans.shift()
      histogram.reset()
    }, spanMs).unref()
    return histogram
  }
}

/** The histogram has the time between two turns of its timer. The part beyond the timer's own is the delay. */
function spanOf(histogram: IntervalHistogram): Span {
  const { count } = histogram
  if (count === 0) return { count, meanMs: 0, p99Ms: 0, maxMs: 0 }
  const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  return { count, meanMs: delay(histogram.mean), p99Ms: delay(histogram.percentile(99)), maxMs: delay(histogram.max) }
}
