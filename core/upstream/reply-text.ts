import { ProviderFailure } from '../contracts/provider.ts'
import { networkFailure, type UpstreamReply } from './http-client.ts'

/** A reply's whole body. What is larger is `cut`, or refused with a `ProviderFailure`. Listening costs half of what iterating does, and a whole reply needs no back-pressure. */
export function readReply(
  { body }: UpstreamReply,
  signal: AbortSignal,
  maximumBytes: number,
  over: 'cut' | 'refuse' = 'refuse',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let ended = false
    const end = (): void => {
      ended = true
      resolve(withoutMark((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')))
    }
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes <= maximumBytes || ended) return
      if (over === 'cut') end()
      else
        reject(
          new ProviderFailure({ kind: 'protocol', message: `The provider sent a reply larger than ${maximumBytes / 1024 / 1024} MiB.` }),
        )
      body.destroy()
    })
    body.on('end', end)
    body.on('error', error => reject(networkFailure(error, signal)))
    body.on('close', () => ended || reject(networkFailure(new Error('closed'), signal)))
  })
}

/** A byte order mark is none of the text. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
