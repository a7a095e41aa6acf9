import type { AttemptSample } from '../contracts/metric-store.ts'
import { MetricSummary } from './metric-summary.ts'

/** One minute of an endpoint: the part of this process, the part that a store kept, and the sum of all processes. */
export class RecordedMinute {
  /** From the epoch. */
  readonly number: number
  /** All of it. */
  summary = new MetricSummary()
  #restored: MetricSummary | undefined
  /** This process's own part. Undefined before `share`, when it is `summary` without `#restored`. */
  #own: MetricSummary | undefined
  /** The part of `#own` that is in the sum of all processes, or on the way to it. */
  #sent = new MetricSummary()
  /** Of all processes. */
  #sum: MetricSummary | undefined
  #savedRequests = 0

  constructor(number: number, shares: boolean) {
    this.number = number
    if (shares) this.share()
  }

  add(sample: AttemptSample): void {
    this.summary.add(sample)
    this.#own?.add(sample)
  }

  /** Adds what a store kept, of other processes and earlier ones. */
  restore(summary: MetricSummary): void {
    this.#restored ??= new MetricSummary()
    this.#restored.merge(summary)
    if (this.#sum) this.#count()
    else this.summary.merge(summary)
  }

  /** This process's own part, if it has changed since the last call. */
  takeChange(): MetricSummary | undefined {
    const requests = this.#own ? this.#own.requests : this.summary.requests - (this.#restored?.requests ?? 0)
    if (requests === this.#savedRequests) return undefined
    this.#savedRequests = requests
    return this.#own ?? (this.#restored ? difference(this.summary, this.#restored) : this.summary)
  }

  /** From now on, this process counts together with others. */
  share(): void {
    this.#own ??= difference(this.summary, this.#restored)
  }

  /** The part that this process recorded and the others do not have yet. */
  takeUnsent(): MetricSummary | undefined {
    if (!this.#own || this.#own.requests === this.#sent.requests) return undefined
    const unsent = difference(this.#own, this.#sent)
    this.#sent.merge(unsent)
    return unsent
  }

  /** The others have lost what was sent to them. */
  forgetSent(): void {
    this.#sent = new MetricSummary()
  }

  /** Takes what all processes recorded, with all that was sent. */
  receive(sum: MetricSummary): void {
    this.#sum = sum
    this.#count()
  }

  /** The sum includes the stored part, unless the sum was lost meanwhile: then it is the smaller of the two. */
  #count(): void {
    const own = this.#own!
    const isWhole = !this.#restored || this.#sum!.requests >= this.#restored.requests + this.#sent.requests
    this.summary = isWhole ? difference(own, this.#sent) : difference(own, undefined)
    this.summary.merge(isWhole ? this.#sum! : this.#restored!)
  }
}

function difference(whole: MetricSummary, part: MetricSummary | undefined): MetricSummary {
  const rest = new MetricSummary()
  rest.merge(whole)
  if (part) rest.subtract(part)
  return rest
}
