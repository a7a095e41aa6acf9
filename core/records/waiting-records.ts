import type { RequestRecord } from '../contracts/log-sink.ts'
import { jsonBytes } from '../foundation/json-bytes.ts'

const maxRecords = 10_000
const maxContentBytes = 128 * 1024 * 1024
const recordsInBatch = 500
/** Small, so that a sink can handle a batch quickly. One record may have more. */
const contentBytesInBatch = 4 * 1024 * 1024

/** The numbers of dropped records and contents. */
export interface Dropped {
  records: number
  /** Contents of records that stayed. */
  contents: number
}

/** The records that wait for one sink, oldest first. Content counts by its size, because a single record can have megabytes. */
export class WaitingRecords {
  #records: RequestRecord[] = []
  /** Of records with content, oldest first. */
  readonly #contents = new Map<RequestRecord, number>()
  #contentBytes = 0

  get count(): number {
    return this.#records.length
  }

  get isEmpty(): boolean {
    return this.#records.length === 0
  }

  get isFull(): boolean {
    return this.#records.length >= maxRecords || this.#contentBytes >= maxContentBytes
  }

  add(record: RequestRecord): void {
    this.#records.push(record)
    const { request, response, kept } = record
    if (!request && !response && !kept) return
    const bytes = jsonBytes([request, response, kept])
    this.#contents.set(record, bytes)
    this.#contentBytes += bytes
  }

  /** Drops the oldest surplus records and contents, and counts them. */
  dropOldest(dropped: Dropped): void {
    if (this.#records.length > maxRecords) dropped.records += this.#take(recordsInBatch).length
    for (const record of this.#contents.keys()) {
      if (this.#contentBytes <= maxContentBytes) return
      this.#forget(record)
      this.#records[this.#records.indexOf(record)] = withoutContent(record)
      dropped.contents++
    }
  }

  nextBatch(): readonly RequestRecord[] {
    const most = Math.min(recordsInBatch, this.#records.length)
    let bytes = 0
    let count = 0
    while (count < most && bytes < contentBytesInBatch) bytes += this.#contents.get(this.#records[count++]!) ?? 0
    return this.#take(count)
  }

  #take(count: number): readonly RequestRecord[] {
    const taken = this.#records.splice(0, count)
    if (this.#contents.size > 0) for (const record of taken) this.#forget(record)
    return taken
  }

  #forget(record: RequestRecord): void {
    this.#contentBytes -= this.#contents.get(record) ?? 0
    this.#contents.delete(record)
  }
}

export function withoutContent({ kept: _, ...record }: RequestRecord): RequestRecord {
  return { ...record, request: null, response: null }
}
