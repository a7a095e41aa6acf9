import type { UpstreamReply } from '../contracts/http-client.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { networkFailure } from './network-failure.ts'

/**
 * Reads a reply's whole body. A larger one is `cut`, or refused with a `ProviderFailure`. `holds` gets the number of bytes after each
 * chunk, and may throw. Listening costs half as much as iterating, and a whole reply needs no back pressure.
 */
export function readReply(
  { body }: UpstreamReply,
  signal: AbortSignal,
  maximumBytes: number,
  over: 'cut' | 'refuse' = 'refuse',
  holds?: (bytes: number) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const received = new ReplyText()
    let ended = false
    const end = (): void => {
      if (ended) return
      ended = true
      resolve(received.take())
    }
    const refuse = (error: unknown): void => {
      reject(error)
      received.take()
      body.destroy()
    }
    body.on('data', (chunk: Buffer) => {
      received.add(chunk)
      try {
        holds?.(received.bytes)
      } catch (error) {
        return refuse(error)
      }
      if (received.bytes <= maximumBytes || ended) return
      if (over === 'refuse') return refuse(replyTooLarge(maximumBytes))
      end()
      body.destroy()
    })
    body.on('end', end)
    body.on('error', error => reject(networkFailure(error, signal)))
    body.on('close', () => ended || reject(networkFailure(new Error('closed'), signal)))
  })
}

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

  /** Returns the text, and lets go of the bytes. */
  take(): string {
    const first = this.#first
    const others = this.#others
    this.#first = this.#others = undefined
    if (!first) return ''
    const whole = others || !Buffer.isBuffer(first) ? Buffer.concat([first, ...(others ?? [])]) : first
    return withoutMark(whole.toString('utf8'))
  }
}

export function replyTooLarge(maximumBytes: number): ProviderFailure {
  return new ProviderFailure({ kind: 'protocol', message: `The provider sent a reply larger than ${maximumBytes / 1024 / 1024} MiB.` })
}

/** Removes a byte order mark. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
