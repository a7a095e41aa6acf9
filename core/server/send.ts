import type { Reply } from '../contracts/route.ts'
import type { Channel } from './channel.ts'

/** Throws if a header is not valid; then another reply can be sent. `id` is absent if the request was refused before any route. */
export function send(channel: Channel, { status, headers, body = '' }: Reply, id?: string): void {
  const head: string[] = []
  for (const name in headers) head.push(name, headers[name]!)
  if (id !== undefined) head.push('x-request-id', id)
  if (typeof body !== 'string') return channel.sendBody(status, head, body)
  // With a known length, the body is sent in one piece instead of chunks.
  head.push('content-length', String(Buffer.byteLength(body)))
  channel.sendText(status, head, body)
}
