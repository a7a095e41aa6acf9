import type { ByteReader, ByteWriter } from './varints.ts'

/** Neighboring bounds differ by 4%, so a value is accurate to 2%. */
const growth = Math.log(1.04)
/** Smaller values count as a tenth of a millisecond. */
const smallestMs = 0.1
const room = 8

/** The bucket of a duration. */
export function bucketOf(milliseconds: number): number {
  return milliseconds > smallestMs ? Math.ceil(Math.log(milliseconds / smallestMs) / growth) : 0
}

const maxBucket = bucketOf(Number.MAX_SAFE_INTEGER)

/** Counts durations in buckets of equal ratio. Stores only the buckets between the smallest and the largest value. */
export class Histogram {
  #first = 0
  #counts = new Uint32Array(0)
  #total = 0
  #version = 0

  /** Differs after each change. */
  get version(): number {
    return this.#version
  }

  get total(): number {
    return this.#total
  }

  /** `bucket`: as `bucketOf` says. */
  add(bucket: number): void {
    this.#cover(bucket, bucket)
    this.#counts[bucket - this.#first]!++
    this.#total++
    this.#version++
  }

  /** Ignores buckets that `bucketOf` never says. */
  addAll(buckets: readonly (readonly [bucket: number, count: number])[]): void {
    const known = buckets.filter(([bucket]) => bucket <= maxBucket)
    if (known.length === 0) return
    const numbers = known.map(([bucket]) => bucket)
    this.#cover(Math.min(...numbers), Math.max(...numbers))
    for (const [bucket, count] of known) {
      this.#counts[bucket - this.#first]! += count
      this.#total += count
    }
    this.#version++
  }

  /** The buckets that are not empty, with their counts. */
  *entries(): Generator<readonly [bucket: number, count: number]> {
    for (const [index, count] of this.#counts.entries()) if (count > 0) yield [this.#first + index, count]
  }

  merge(other: Histogram): void {
    if (other.#total === 0) return
    this.#cover(other.#first, other.#first + other.#counts.length - 1)
    const offset = other.#first - this.#first
    for (let index = 0; index < other.#counts.length; index++) this.#counts[index + offset]! += other.#counts[index]!
    this.#total += other.#total
    this.#version++
  }

  /** Takes out what was merged before. */
  subtract(other: Histogram): void {
    if (other.#total === 0) return
    const offset = other.#first - this.#first
    for (let index = 0; index < other.#counts.length; index++) {
      const count = other.#counts[index]!
      if (count > 0) this.#counts[index + offset]! -= count
    }
    this.#total -= other.#total
    this.#version++
  }

  /** `quantile` from 0 to 1, by nearest rank. */
  quantile(quantile: number): number | undefined {
    if (this.#total === 0) return undefined
    let rank = Math.min(this.#total, Math.max(1, Math.ceil(quantile * this.#total)))
    let index = 0
    while ((rank -= this.#counts[index]!) > 0) index++
    return smallestMs * Math.exp((this.#first + index - 0.5) * growth)
  }

  /** Empty buckets in a row take two bytes. */
  write(bytes: ByteWriter): void {
    bytes.add(this.#total)
    if (this.#total === 0) return
    const from = this.#counts.findIndex(count => count > 0)
    const to = this.#counts.findLastIndex(count => count > 0) + 1
    bytes.add(this.#first + from)
    bytes.add(to - from)
    for (let index = from; index < to; index++) {
      bytes.add(this.#counts[index]!)
      if (this.#counts[index]! > 0) continue
      const begin = index
      while (this.#counts[index + 1] === 0) index++
      bytes.add(index - begin)
    }
  }

  /** Adds what `write` wrote. Throws for anything else. */
  read(bytes: ByteReader): void {
    const total = bytes.next()
    if (total === 0) return
    const first = bytes.next()
    const length = bytes.next()
    if (length < 1 || first + length > maxBucket) throw new RangeError('a histogram with impossible buckets')
    this.#cover(first, first + length - 1)
    let left = total
    for (let index = 0; index < length; index++) {
      const count = bytes.next()
      left -= count
      if (count > 0) this.#counts[first - this.#first + index]! += count
      else index += bytes.next()
    }
    if (left !== 0) throw new RangeError('a histogram whose counts do not add up')
    this.#total += total
    this.#version++
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
