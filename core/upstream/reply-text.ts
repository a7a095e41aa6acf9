import { ProviderFailure } from '../contracts/provider.ts'
import { own, wording } from '../foundation/wording.ts'

/** The body of a reply while it arrives. */
export class ReplyText {
  /** Received so far. */
  bytes = 0
  /** Most bodies come in one chunk. */
  #first: Uint8Array | undefined
  #others: Uint8Array[] | undefined

  add(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength
    if (!this.#first) this.#first = chunk
    else if (this.#others) this.#others.push(chunk)
    else this.#others = [chunk]
  }

  /** Returns the text, and releases the bytes. */
  take(): string {
    const first = this.#first
    const others = this.#others
    this.#first = this.#others = undefined
    if (!first) return ''
    const whole = others || !Buffer.isBuffer(first) ? Buffer.concat([first, ...(others ?? [])]) : first
    return withoutMark(whole.toString('utf8'))
  }
}

export function replyTooLarge(maxBytes: number): ProviderFailure {
  return new ProviderFailure({
    kind: 'protocol',
    message: wording`The provider sent a reply larger than ${own(maxBytes / 1024 / 1024)} MiB.`,
  })
}

/** Removes a byte order mark. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
