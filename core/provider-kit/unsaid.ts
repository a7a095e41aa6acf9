import type { ProviderCall } from '../contracts/provider.ts'

/** The least that a frame without events counts, so that empty frames are not free. */
const frameBytes = 128

/**
 * Counts the bytes of a streamed reply that produced no events: an unfinished frame, and frames that the decoder keeps or skips. They
 * count toward the answer's limit. Otherwise a vendor that sends nothing else would never reach it.
 */
export class Unsaid {
  readonly #call: ProviderCall
  #unframed = 0
  #silent = 0

  constructor(call: ProviderCall) {
    this.#call = call
  }

  chunk(bytes: number): void {
    this.#unframed += bytes
  }

  frame(length: number, isSilent: boolean): void {
    this.#unframed = 0
    if (isSilent) this.#silent += length + frameBytes
  }

  /** Reports the count. Throws if it exceeds the answer's limit. */
  tell(): void {
    this.#call.holds?.(this.#unframed + this.#silent)
  }
}
