import type { AttemptSample } from '../../../core/index.ts'
import { MetricSummary } from './metric-summary.ts'

export const minuteMs = 60_000
const keptMinutes = 24 * 60
/** Callers choose the intervals, so the number of cached sums is bounded. */
const maxIntervals = 8

interface Minute {
  readonly number: number
  readonly summary: MetricSummary
}

/** The last 24 hours of one endpoint, by minute. Minutes without an attempt take no memory. */
export class EndpointMetrics {
  /** Ascending. */
  readonly #minutes: Minute[] = []
  /** Sums over finished minutes, by the length of the interval in minutes. */
  readonly #past = new Map<number, MetricSummary>()
  /** `#past` covers the minutes before this one. */
  #pastEnd = 0

  add(sample: AttemptSample): void {
    const number = Math.floor(sample.at / minuteMs)
    // The attempt began in a minute that `#past` already counts as finished.
    if (number < this.#pastEnd) this.#past.clear()
    const last = this.#minutes.at(-1)
    if (last?.number === number) last.summary.add(sample)
    else this.#minute(number).add(sample)
  }

  /** Summaries for an interval, including the minute in which it starts: one of the finished minutes, one of the current minute. */
  window(now: number, intervalMs: number): readonly [past: MetricSummary, current: MetricSummary | undefined] {
    const current = Math.floor(now / minuteMs)
    const first = Math.max(Math.floor((now - intervalMs) / minuteMs), current - keptMinutes)
    const last = this.#minutes.at(-1)
    return [this.#pastSince(first, current), last && last.number >= current ? last.summary : undefined]
  }

  /** Drops old minutes. Returns false when none are left. */
  prune(now: number): boolean {
    const oldest = Math.floor(now / minuteMs) - keptMinutes
    const kept = this.#minutes.findIndex(minute => minute.number >= oldest)
    this.#minutes.splice(0, kept === -1 ? this.#minutes.length : kept)
    return this.#minutes.length > 0
  }

  #minute(number: number): MetricSummary {
    const after = this.#minutes.findLastIndex(minute => minute.number <= number)
    const found = this.#minutes[after]
    if (found?.number === number) return found.summary
    const summary = new MetricSummary()
    this.#minutes.splice(after + 1, 0, { number, summary })
    return summary
  }

  #pastSince(first: number, current: number): MetricSummary {
    if (this.#pastEnd !== current || this.#past.size >= maxIntervals) this.#past.clear()
    this.#pastEnd = current
    const known = this.#past.get(current - first)
    if (known) return known
    const summary = new MetricSummary()
    for (const minute of this.#minutes) if (minute.number >= first && minute.number < current) summary.merge(minute.summary)
    this.#past.set(current - first, summary)
    return summary
  }
}
