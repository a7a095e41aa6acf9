import type { UpstreamReply } from '../contracts/http-client.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { networkFailure } from './http-client.ts'

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
    const chunks: Buffer[] = []
    let bytes = 0
    let ended = false
    const end = (): void => {
      ended = true
      resolve(withoutMark((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')))
    }
    const refuse = (error: unknown): void => {
      reject(error)
      chunks.length = 0
      body.destroy()
    }
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.byteLength
      try {
        holds?.(bytes)
      } catch (error) {
        return refuse(error)
      }
      if (bytes <= maximumBytes || ended) return
      if (over === 'refuse')
        return refuse(
          new ProviderFailure({ kind: 'protocol', message: `The provider sent a reply larger than ${maximumBytes / 1024 / 1024} MiB.` }),
        )
      end()
      body.destroy()
    })
    body.on('end', end)
    body.on('error', error => reject(networkFailure(error, signal)))
    body.on('close', () => ended || reject(networkFailure(new Error('closed'), signal)))
  })
}

/** Removes a byte order mark. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
