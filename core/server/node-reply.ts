import type { ServerResponse } from 'node:http'
import type { Reply } from '../contracts/route.ts'
import { NodeBody } from './node-body.ts'
import { unreadRest } from './unread-rest.ts'

/** Throws if a header is not valid; then another reply can be written. */
export function writeReply(response: ServerResponse, { status, headers, body = '' }: Reply, id: string): void {
  // The client has gone.
  if (response.destroyed) return
  const head = ['x-request-id', id]
  for (const name in headers) head.push(name, headers[name]!)
  if (body instanceof NodeBody) {
    response.writeHead(status, head)
    return body.begin()
  }
  const text = body as string
  // With a known length, the body is sent in one piece instead of chunks.
  head.push('content-length', String(Buffer.byteLength(text)))
  response.writeHead(status, head)
  if (response.req.complete) response.end(text)
  else endLater(response, text)
}

/** The whole reply goes out now. Ending it would close the connection of a caller that is still sending. */
function endLater(response: ServerResponse, text: string): void {
  if (text === '') response.flushHeaders()
  else response.write(text)
  void unreadRest(response.req).then(() => response.end())
}
