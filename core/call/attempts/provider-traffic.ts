import { recentValues } from '../../runtime/recent-values.ts'
import type { Breaker } from './circuit.ts'

const bucketMs = 10_000
const buckets = 6
/** The parts of a minute. */
const windowMs = bucketMs * buckets
/** Fewer failures in a minute say nothing. */
const fewestFailures = 5
/** The most failures of one model that count, so that it takes two to put the provider last. */
const maxOfOneModel = 3
/** The most suspected failures of one owner that count for all, so that it takes two owners. */
const maxOfOneOwner = 3
/** Suspected failures are kept for this many owners, those who failed last. */
const maxOwners = 100

/** By model: when its latest failures were. */
type FailureTimes = Map<string, readonly number[]>

/** Counts a provider's answers and failures in the last minute. Milliseconds are those of `Clock.elapsed`. */
export class ProviderTraffic {
  readonly #answers = new Uint32Array(buckets)
  readonly #failures: FailureTimes = new Map()
  /** By owner: failures that its requests may have provoked. */
  readonly #suspected = recentValues<string, FailureTimes>(maxOwners)
  /** When no connection was made. */
  #unreached: readonly number[] = []
  #bucket = -1
  #servedAt = -Infinity
  #now = 0

  answered(now: number): void {
    this.#answers[this.#bucketAt(now)]!++
  }

  /** Call when an attempt that started then has begun to answer. */
  served(startedAt: number): void {
    this.#servedAt = Math.max(this.#servedAt, startedAt)
  }

  /** When the latest attempt started that was answered. */
  get servedAt(): number {
    return this.#servedAt
  }

  /** `model` is undefined if no connection was made: that is true of all models. */
  failed(model: string | undefined, now: number): void {
    this.#now = now
    if (model === undefined) this.#unreached = [...this.#recent(this.#unreached), now].slice(-2 * fewestFailures)
    else this.#add(model, this.#failures)
  }

  /** Call for a failure that the owner's request may have provoked by itself. */
  suspected(model: string, owner: string, now: number): void {
    this.#now = now
    let failures = this.#suspected.get(owner)
    if (!failures) this.#suspected.set(owner, (failures = new Map()))
    this.#add(model, failures)
  }

  /** True if more than half of the minute's attempts failed: for everyone, or for one owner. */
  isFailing(owner?: string): boolean {
    const failures = owner === undefined ? this.#count(this.#suspected.values(), maxOfOneOwner) : this.#count([this.#suspected.get(owner)])
    if (failures < fewestFailures) return false
    this.#bucketAt(this.#now)
    return failures > this.#answers.reduce((sum, count) => sum + count, 0)
  }

  /** A breaker for the provider's circuit. It opens when the provider is failing. */
  breaker(owner?: string): Breaker {
    return { success: () => {}, failure: () => this.isFailing(owner) }
  }

  #add(model: string, failures: FailureTimes): void {
    failures.set(model, [...this.#recent(failures.get(model) ?? []), this.#now].slice(-maxOfOneModel))
  }

  /** Counts the recent failures, with those that are suspected of these owners. */
  #count(suspected: Iterable<FailureTimes | undefined>, mostOfOne = Infinity): number {
    const left = new Map<string, number>()
    const countOf = (failures: FailureTimes, most: number): number => {
      let sum = 0
      for (const [model, times] of failures) {
        const recent = this.#recent(times)
        if (recent.length === 0) failures.delete(model)
        const free = left.get(model) ?? maxOfOneModel
        const counted = Math.min(recent.length, free, most - sum)
        left.set(model, free - counted)
        sum += counted
      }
      return sum
    }
    let sum = this.#recent(this.#unreached).length + countOf(this.#failures, Infinity)
    for (const failures of suspected) if (failures) sum += countOf(failures, mostOfOne)
    return sum
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
