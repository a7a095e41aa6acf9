import { Writer } from './writer.ts'

/** Beyond so many, others are encoded each time. */
const maxKept = 2_000

/** Keeps encoded attributes that depend on two names alone, so that each pair is encoded once. */
export class EncodedPairs {
  readonly #kept = new Map<string | null, Map<string | null, Uint8Array>>()
  #count = 0

  of(first: string | null, second: string | null, encode: (writer: Writer) => void): Uint8Array {
    let ofFirst = this.#kept.get(first)
    const known = ofFirst?.get(second)
    if (known) return known
    const writer = new Writer()
    encode(writer)
    const bytes = writer.take()
    if (this.#count >= maxKept) return bytes
    this.#count++
    if (!ofFirst) this.#kept.set(first, (ofFirst = new Map()))
    ofFirst.set(second, bytes)
    return bytes
  }
}
