import type { IBreaker } from 'cockatiel'

const bucketMs = 10_000
const buckets = 6
/** The parts of a minute. */
const windowMs = bucketMs * buckets
/** Fewer failures in a minute say nothing. */
const fewestFailures = 5
/** The most failures of one model that count, so that it takes two to put the provider last. */
const mostOfOneModel = 3

/** Counts a provider's answers and failures in the last minute. Milliseconds are those of `Clock.elapsed`. */
export class ProviderTraffic {
  readonly #answers = new Uint32Array(buckets)
  /** By model: when its latest failures were. */
  readonly #failures = new Map<string, number[]>()
  /** When no connection was made. */
  #unreached: number[] = []
  #bucket = -1
  #now = 0

  answered(now: number): void {
    this.#answers[this.#bucketAt(now)]!++
  }

  /** `model` is undefined if no connection was made: that is true of all models. */
  failed(model: string | undefined, now: number): void {
    this.#now = now
    if (model === undefined) this.#unreached = [...this.#recent(this.#unreached), now].slice(-2 * fewestFailures)
    else this.#failures.set(model, [...this.#recent(this.#failures.get(model) ?? []), now].slice(-mostOfOneModel))
  }

  /** A breaker for the provider's circuit: it opens when more than half of the minute's attempts failed. */
  readonly breaker: IBreaker = {
    state: undefined,
    success: () => {},
    failure: () => this.#isFailing,
  }

  get #isFailing(): boolean {
    let failures = this.#unreached.length
    for (const [model, times] of this.#failures) {
      const recent = this.#recent(times)
      if (recent.length === 0) this.#failures.delete(model)
      failures += recent.length
    }
    if (failures < fewestFailures) return false
    this.#bucketAt(this.#now)
    return failures > this.#answers.reduce((sum, count) => sum + count, 0)
  }

  #recent(times: readonly number[]): readonly number[] {
    return times.filter(time => this.#now - time < windowMs)
  }

  /** Empties the buckets that the clock has passed. */
  #bucketAt(now: number): number {
    const bucket = Math.floor(now / bucketMs)
    if (bucket - this.#bucket >= buckets) this.#answers.fill(0)
    else for (let passed = this.#bucket + 1; passed <= bucket; passed++) this.#answers[passed % buckets] = 0
    this.#bucket = Math.max(bucket, this.#bucket)
    return bucket % buckets
  }
}
