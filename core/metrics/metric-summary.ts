import type { AttemptSample } from '../contracts/metric-store.ts'
import { bucketOf, Histogram } from './histogram.ts'
import { ByteReader, ByteWriter } from './varints.ts'

/**
 * Counts over attempts at one endpoint. Summaries can be added to and subtracted from one another. All numbers are whole, so nothing is
 * lost in that.
 */
export class MetricSummary {
  /** Attempts that ended. */
  requests = 0
  /** Attempts that failed by the vendor's fault. */
  faults = 0
  /** Of all attempts. */
  inputTokens = 0
  /** Of all attempts. */
  outputTokens = 0
  /** Output of answered attempts. */
  answeredTokens = 0
  /** Microseconds to the first semantic event, in total. Only streamed answers count. */
  latencySumUs = 0
  /** Microseconds to the last event, in total. Only answers count. */
  totalSumUs = 0
  /** Output after the first token. Only streamed answers count. */
  streamedTokens = 0
  /** How long that took, in microseconds. */
  streamingUs = 0
  /** The times to the first semantic event of streamed answers. */
  readonly latency = new Histogram()
  /** The times to the last event of answers. */
  readonly total = new Histogram()

  /** Counts one attempt. */
  add(sample: AttemptSample): void {
    const outputTokens = whole(sample.outputTokens)
    this.requests++
    this.inputTokens += whole(sample.inputTokens)
    this.outputTokens += outputTokens
    // Failures and abandoned answers say nothing about how fast an endpoint answers.
    if (sample.outcome === 'fault') this.faults++
    if (sample.outcome !== 'ok') return
    const totalUs = whole(sample.totalMs * 1000)
    this.answeredTokens += outputTokens
    this.total.add(bucketOf(totalUs / 1000))
    this.totalSumUs += totalUs
    if (sample.latencyMs === undefined) return
    const latencyUs = whole(sample.latencyMs * 1000)
    this.latency.add(bucketOf(latencyUs / 1000))
    this.latencySumUs += latencyUs
    this.streamedTokens += outputTokens
    this.streamingUs += Math.max(0, totalUs - latencyUs)
  }

  /** Adds the counts of another summary. */
  merge(other: MetricSummary): void {
    for (const name of sumNames) this[name] += other[name]
    this.latency.merge(other.latency)
    this.total.merge(other.total)
  }

  /** Takes out what was merged before. */
  subtract(other: MetricSummary): void {
    for (const name of sumNames) this[name] -= other[name]
    this.latency.subtract(other.latency)
    this.total.subtract(other.total)
  }

  /** Writes it in a packed form, which `addPacked` reads. */
  write(bytes: ByteWriter): void {
    for (const name of sumNames) bytes.add(this[name])
    this.latency.write(bytes)
    this.total.write(bytes)
  }

  /** Adds what `write` wrote. Throws for anything else. */
  read(bytes: ByteReader): void {
    for (const name of sumNames) this[name] += bytes.next()
    this.latency.read(bytes)
    this.total.read(bytes)
  }
}

type SumName = { [K in keyof MetricSummary]: MetricSummary[K] extends number ? K : never }[keyof MetricSummary]

/** The order is that of the stored form: never change it. */
export const sumNames = [
  'requests',
  'faults',
  'inputTokens',
  'outputTokens',
  'answeredTokens',
  'latencySumUs',
  'totalSumUs',
  'streamedTokens',
  'streamingUs',
] as const satisfies readonly SumName[]

/** Clocks and vendors may report nonsense, and one such number must not spoil a year. */
const maximum = 1e12

function whole(value: number): number {
  return value > 0 ? Math.min(Math.round(value), maximum) : 0
}

const writer = new ByteWriter()
const reader = new ByteReader()

/** A summary in a few hundred bytes, for memory and for stores. */
export function packSummary(summary: MetricSummary): Uint8Array {
  writer.clear()
  summary.write(writer)
  return writer.bytes.slice()
}

/** Adds a packed summary to `target`. Throws, and leaves `target` half changed, if the bytes are damaged. */
export function addPacked(target: MetricSummary, bytes: Uint8Array, start?: number, end?: number): void {
  reader.reset(bytes, start, end)
  target.read(reader)
  if (!reader.isAtEnd) throw new RangeError('a summary is followed by other bytes')
}
