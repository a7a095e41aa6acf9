/** Neighboring bounds differ by 2%, so a value is accurate to 1%. */
const growth = Math.log(1.02)
/** Smaller values count as a tenth of a millisecond. */
const smallestMs = 0.1
const room = 16

/** Counts durations in buckets of equal ratio. Stores only the buckets between the smallest and the largest value. */
export class Histogram {
  #first = 0
  #counts = new Uint32Array(0)
  #total = 0

  get total(): number {
    return this.#total
  }

  add(milliseconds: number): void {
    const index = milliseconds > smallestMs ? Math.ceil(Math.log(milliseconds / smallestMs) / growth) : 0
    this.#cover(index, index)
    this.#counts[index - this.#first]!++
    this.#total++
  }

  merge(other: Histogram): void {
    if (other.#total === 0) return
    this.#cover(other.#first, other.#first + other.#counts.length - 1)
    const offset = other.#first - this.#first
    for (let index = 0; index < other.#counts.length; index++) this.#counts[index + offset]! += other.#counts[index]!
    this.#total += other.#total
  }

  /** `quantile` from 0 to 1, by nearest rank. */
  quantile(quantile: number): number | undefined {
    if (this.#total === 0) return undefined
    let rank = Math.min(this.#total, Math.max(1, Math.ceil(quantile * this.#total)))
    let index = 0
    while ((rank -= this.#counts[index]!) > 0) index++
    return smallestMs * Math.exp((this.#first + index - 0.5) * growth)
  }

  #cover(from: number, to: number): void {
    if (this.#counts.length === 0) this.#first = from
    const end = this.#first + this.#counts.length
    if (from >= this.#first && to < end) return
    const first = Math.min(this.#first, from)
    const counts = new Uint32Array(Math.max(end, to + 1) - first + room)
    counts.set(this.#counts, this.#first - first)
    this.#first = first
    this.#counts = counts
  }
}
