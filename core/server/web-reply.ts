import type { ServerResponse } from 'node:http'
import { HTTPResponse } from 'h3'
import type { Reply } from '../contracts/route.ts'
import { unreadRest } from './unread-rest.ts'
import { WebBody } from './web-body.ts'
import { responseOf } from './web-incoming.ts'

/** A reply for h3. Throws if a header is not valid. `id` is absent if h3 refused the request before any route. */
export function webReply(request: Request, { status, headers, body = '' }: Reply, id?: string): HTTPResponse {
  const head = new Headers(headers)
  if (id !== undefined) head.set('x-request-id', id)
  if (body instanceof WebBody) {
    body.begin()
    if (request.method === 'HEAD') body.end()
    return new HTTPResponse(body.readable, { status, headers: head })
  }
  const text = body as string
  // With a known length, the body is sent in one piece instead of chunks.
  head.set('content-length', String(Buffer.byteLength(text)))
  return new HTTPResponse(text === '' ? null : (endedLater(responseOf(request), text) ?? text), { status, headers: head })
}

/** A body that ends when the caller has sent all of its own: ending it would close the connection. Undefined for one that has. */
function endedLater(response: ServerResponse | undefined, text: string): ReadableStream<Uint8Array> | undefined {
  if (!response || response.req.complete) return undefined
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(text))
      await unreadRest(response.req)
      controller.close()
    },
  })
}
