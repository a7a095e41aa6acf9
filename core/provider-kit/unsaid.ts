import type { ProviderCall } from '../contracts/provider.ts'

/** A frame that says nothing costs at least this, so that no number of them is free. */
const frameBytes = 128

/**
 * Bytes of a streamed reply that became no events: a frame that is not whole yet, and frames that a decoder keeps or skips. They count
 * toward the answer's limit, or a vendor that sends nothing else would never reach it.
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

  /** Throws when that is too much. */
  tell(): void {
    this.#call.holds?.(this.#unframed + this.#silent)
  }
}
