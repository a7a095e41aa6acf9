import { addPacked, MetricSummary, packSummary } from './metric-summary.ts'

/** The summaries of periods of equal length in one array of bytes. Periods without an attempt take no memory. */
export class PackedPeriods {
  /** Ascending. A period's number is its start divided by its length. */
  #numbers: number[] = []
  /** Where the bytes of each period end. */
  #ends: number[] = []
  #bytes: Uint8Array = new Uint8Array(0)

  get isEmpty(): boolean {
    return this.#numbers.length === 0
  }

  /** Adds to what is known of a period. */
  add(number: number, summary: MetricSummary): void {
    const index = this.#indexOf(number)
    const isKnown = this.#numbers[index] === number
    const start = this.#startOf(index)
    if (!isKnown) {
      this.#numbers.splice(index, 0, number)
      this.#ends.splice(index, 0, start)
      return this.#replace(index, packSummary(summary))
    }
    const sum = new MetricSummary()
    addPacked(sum, this.#bytes, start, this.#ends[index])
    sum.merge(summary)
    this.#replace(index, packSummary(sum))
  }

  /** Adds the periods from `first` up to `end`, exclusive, to `target`. */
  addTo(target: MetricSummary, first: number, end: number): void {
    for (let index = this.#indexOf(first); index < this.#numbers.length && this.#numbers[index]! < end; index++)
      addPacked(target, this.#bytes, this.#startOf(index), this.#ends[index])
  }

  /** Forgets the periods before `first`. */
  dropBefore(first: number): void {
    const index = this.#indexOf(first)
    if (index === 0) return
    const start = this.#startOf(index)
    this.#bytes = this.#bytes.slice(start, this.#ends.at(-1))
    this.#numbers = this.#numbers.slice(index)
    this.#ends = this.#ends.slice(index).map(end => end - start)
  }

  /** Where the period is, or would be inserted. Usually that is at the end. */
  #indexOf(number: number): number {
    if (this.#numbers.length === 0 || number > this.#numbers.at(-1)!) return this.#numbers.length
    let low = 0
    let high = this.#numbers.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#numbers[middle]! < number) low = middle + 1
      else high = middle
    }
    return low
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]!
  }

  #replace(index: number, packed: Uint8Array): void {
    const start = this.#startOf(index)
    const end = this.#ends[index]!
    const used = this.#ends.at(-1)!
    const growth = packed.length - (end - start)
    if (used + growth > this.#bytes.length) this.#reserve(used + growth)
    this.#bytes.copyWithin(start + packed.length, end, used)
    this.#bytes.set(packed, start)
    if (growth === 0) return
    for (let each = index; each < this.#ends.length; each++) this.#ends[each]! += growth
  }

  #reserve(length: number): void {
    const bytes = new Uint8Array(Math.ceil(length * 1.125) + 64)
    bytes.set(this.#bytes)
    this.#bytes = bytes
  }
}
