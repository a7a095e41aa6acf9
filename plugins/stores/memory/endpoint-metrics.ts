import type { AttemptSample } from '../../../core/index.ts'
import { MetricSummary } from './metric-summary.ts'

export const minuteMs = 60_000
const keptMinutes = 24 * 60
/** Callers choose intervals: so many are remembered at once. */
const maxIntervals = 8

interface Minute {
  readonly number: number
  readonly summary: MetricSummary
}

/** One endpoint's last 24 hours by the minute. Minutes without an attempt take no room. */
export class EndpointMetrics {
  /** Ascending. */
  readonly #minutes: Minute[] = []
  /** By length in minutes: the minutes that were over when it was asked for, added up. */
  readonly #past = new Map<number, MetricSummary>()
  /** The minute before which all is added up in `#past`. */
  #pastEnd = 0

  add(sample: AttemptSample): void {
    const number = Math.floor(sample.at / minuteMs)
    // It began in a minute that was thought finished.
    if (number < this.#pastEnd) this.#past.clear()
    const last = this.#minutes.at(-1)
    if (last?.number === number) last.summary.add(sample)
    else this.#minute(number).add(sample)
  }

  /** The minutes that have begun within the interval or during which it began: those that are over, and the current one. */
  window(now: number, intervalMs: number): readonly [past: MetricSummary, current: MetricSummary | undefined] {
    const current = Math.floor(now / minuteMs)
    const first = Math.max(Math.floor((now - intervalMs) / minuteMs), current - keptMinutes)
    const last = this.#minutes.at(-1)
    return [this.#pastSince(first, current), last && last.number >= current ? last.summary : undefined]
  }

  /** Drops what is too old; false when nothing is left. */
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
