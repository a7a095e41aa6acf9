import { defaultIntervalMs } from '../contracts/metric-interval.ts'
import type { AttemptSample, LatestAnswers, MetricWindow } from '../contracts/metric-store.ts'
import { firstMinuteOf, rollUps, minuteMs } from './roll-ups.ts'
import { MetricSummary } from './metric-summary.ts'
import { PackedPeriods } from './packed-periods.ts'
import { RecordedMinute } from './recorded-minute.ts'
import { SummaryWindow } from './summary-window.ts'

/** Windows of up to this length follow every attempt. Longer ones are kept unchanged for this long after they were read. */
const liveMinutes = defaultIntervalMs / minuteMs
/** The minute that is running, and the one in which the longest live window begins. */
const recentMinutes = liveMinutes + 1
/** Fewer answers say too little. */
const latestAnswers = 3
/** Callers choose the intervals, so the number of windows kept is bounded. */
const maxLongWindows = 8

interface LiveWindow {
  readonly length: number
  readonly summary: MetricSummary
  readonly view: MetricWindow
  /** The first minute that it covers. */
  first: number
  /** The minute in which it was last read. */
  readIn: number
}

interface LongWindow {
  readonly length: number
  readonly view: MetricWindow
  readonly madeIn: number
}

/** Everything known of one endpoint. Minutes are numbered from the epoch. */
export class EndpointMetrics {
  /** Ascending. Those that no live window reaches go to `#history` with the next attempt. */
  readonly #recent: RecordedMinute[] = []
  /** Of each level, all minutes that are not in `#recent`. */
  readonly #history = rollUps.map(() => new PackedPeriods())
  readonly #live: LiveWindow[] = []
  #long: LongWindow[] = []
  #shares = false
  /** True if there may be something that other processes do not have yet. */
  hasUnsent = false

  add(sample: AttemptSample): void {
    const number = Math.floor(sample.at / minuteMs)
    const last = this.#recent.at(-1)
    const minute = last?.number === number ? last : this.#minuteFor(number, last)
    minute.add(sample)
    this.hasUnsent = this.#shares
    for (const window of this.#live) if (number >= window.first) window.summary.add(sample)
  }

  /** The attempts of the interval, from the start of the minute in which it begins. */
  window(now: number, intervalMs: number): MetricWindow {
    const current = Math.floor(now / minuteMs)
    const length = intervalMs > 0 ? Math.ceil(intervalMs / minuteMs) : 0
    return length <= liveMinutes ? this.#liveWindow(length, current) : this.#longWindow(length, current)
  }

  /** The newest minutes that have enough answers together, of those that live windows reach. */
  latest(now: number): LatestAnswers | undefined {
    const oldest = Math.floor(now / minuteMs) - liveMinutes
    let samples = 0
    let streamed = 0
    let [latencyUs, totalUs, tokens, streamingUs] = [0, 0, 0, 0]
    for (let index = this.#recent.length - 1; index >= 0 && samples < latestAnswers; index--) {
      const { number, summary } = this.#recent[index]!
      if (number < oldest) break
      samples += summary.total.total
      streamed += summary.latency.total
      latencyUs += summary.latencySumUs
      totalUs += summary.totalSumUs
      tokens += summary.streamedTokens
      streamingUs += summary.streamingUs
    }
    if (samples === 0) return undefined
    return {
      samples,
      latencyMs: streamed > 0 ? latencyUs / streamed / 1000 : undefined,
      throughput: streamingUs > 0 ? (tokens / streamingUs) * 1_000_000 : undefined,
      totalMs: totalUs / samples / 1000,
    }
  }

  /** Adds a period that a store kept. `level` is an index of `rollUps`. Call `forgetWindows` at the end. */
  restore(level: number, firstMinute: number, summary: MetricSummary, currentMinute: number): void {
    if (level > 0 || firstMinute <= currentMinute - recentMinutes) return this.#keep(level, firstMinute, summary)
    this.#minute(firstMinute).restore(summary)
  }

  /** Makes the windows anew, with what was restored. */
  forgetWindows(): void {
    this.#live.length = 0
    this.#long = []
  }

  /** Calls `save` with each minute that has changed since the last call: all of it, except for what was restored. */
  takeChanges(save: (minute: number, summary: MetricSummary) => void): void {
    for (const minute of this.#recent) {
      const summary = minute.takeChange()
      if (summary) save(minute.number, summary)
    }
  }

  /** From now on, this process counts together with others. */
  share(): void {
    this.#shares = true
    for (const minute of this.#recent) minute.share()
    this.hasUnsent = this.#recent.length > 0
  }

  /** Calls `send` with what other processes do not have yet, of each minute that live windows reach. */
  takeUnsent(send: (minute: number, summary: MetricSummary) => void): void {
    this.hasUnsent = false
    for (const minute of this.#recent) {
      const summary = minute.takeUnsent()
      if (summary) send(minute.number, summary)
    }
  }

  /** Other processes have lost what was sent to them. */
  forgetSent(): void {
    for (const minute of this.#recent) minute.forgetSent()
    this.hasUnsent = this.#recent.length > 0
  }

  /** Takes what all processes recorded in a minute. Ignores minutes that no live window reaches, and those of clocks that are far ahead. */
  receive(number: number, sum: MetricSummary, current: number): void {
    if (Math.abs(number - current) >= recentMinutes) return
    if (this.#recent.length > 0 && this.#recent[0]!.number <= current - recentMinutes) this.#retire(current)
    const minute = this.#minute(number)
    const before = minute.summary
    minute.receive(sum)
    for (const window of this.#live) {
      if (number < window.first) continue
      window.summary.subtract(before)
      window.summary.merge(minute.summary)
    }
  }

  /** Forgets what is too old. Returns false when nothing is left. */
  prune(currentMinute: number): boolean {
    this.#retire(currentMinute)
    for (const [index, { minutes, keptMinutes }] of rollUps.entries())
      this.#history[index]!.dropBefore(Math.floor((currentMinute - keptMinutes) / minutes))
    this.#long = this.#long.filter(({ madeIn }) => currentMinute - madeIn < liveMinutes)
    return this.#recent.length > 0 || this.#history.some(periods => !periods.isEmpty)
  }

  /** For a minute that is not the last: a new one, or an earlier one of which an attempt is reported late. */
  #minuteFor(number: number, last: RecordedMinute | undefined): RecordedMinute {
    if (!last || number > last.number) this.#retire(number)
    return this.#minute(number)
  }

  #minute(number: number): RecordedMinute {
    const after = this.#recent.findLastIndex(minute => minute.number <= number)
    const found = this.#recent[after]
    if (found?.number === number) return found
    const minute = new RecordedMinute(number, this.#shares)
    this.#recent.splice(after + 1, 0, minute)
    return minute
  }

  /** Moves the minutes that no live window reaches to `#history`. */
  #retire(current: number): void {
    for (const window of this.#live) this.#advance(window, current)
    const unread = this.#live.findIndex(window => current - window.readIn > 1)
    if (unread !== -1) this.#live.splice(unread, 1)
    while (this.#recent.length > 0 && this.#recent[0]!.number <= current - recentMinutes) {
      const { number, summary } = this.#recent.shift()!
      this.#keep(0, number, summary)
    }
  }

  #keep(level: number, firstMinute: number, summary: MetricSummary): void {
    for (let index = level; index < rollUps.length; index++)
      this.#history[index]!.add(Math.floor(firstMinute / rollUps[index]!.minutes), summary)
  }

  #liveWindow(length: number, current: number): MetricWindow {
    let window = this.#live.find(each => each.length === length)
    // The clock was set back.
    if (window && window.first > current - length) window = void this.#live.splice(this.#live.indexOf(window), 1)
    if (!window) {
      const summary = this.#recentSince(current - length)
      window = { length, summary, view: new SummaryWindow(summary), first: current - length, readIn: current }
      this.#live.push(window)
    }
    this.#advance(window, current)
    window.readIn = current
    return window.view
  }

  /** Takes out the minutes that have left the window. */
  #advance(window: LiveWindow, current: number): void {
    const first = current - window.length
    if (first <= window.first) return
    for (const { number, summary } of this.#recent) {
      if (number >= first) break
      if (number >= window.first) window.summary.subtract(summary)
    }
    window.first = first
  }

  #longWindow(length: number, current: number): MetricWindow {
    const known = this.#long.find(each => each.length === length)
    if (known && current >= known.madeIn && current - known.madeIn < liveMinutes) return known.view
    const view = new SummaryWindow(this.#since(firstMinuteOf(length, current)))
    this.#long = [...this.#long.filter(each => each !== known).slice(1 - maxLongWindows), { length, view, madeIn: current }]
    return view
  }

  /** Few and long periods where possible: only the beginning needs short ones. */
  #since(first: number): MetricSummary {
    const sum = this.#recentSince(first)
    let end = Number.POSITIVE_INFINITY
    for (const [index, { minutes }] of [...rollUps.entries()].reverse()) {
      const start = Math.ceil(first / minutes)
      this.#history[index]!.addTo(sum, start, end / minutes)
      end = start * minutes
    }
    return sum
  }

  #recentSince(first: number): MetricSummary {
    const sum = new MetricSummary()
    for (const { number, summary } of this.#recent) if (number >= first) sum.merge(summary)
    return sum
  }
}
