import type { Reply } from '../../contracts/route.ts'
import { replyFault } from '../reply-fault.ts'

/** Sends what an admin route returned, which a plugin may have written in plain JavaScript. Throws if it cannot be sent. */
export function adminResponse(reply: unknown, id: string, faulty: (fault: string, cause?: unknown) => Error): Response {
  if (reply instanceof Response) {
    const { status, bodyUsed } = reply
    if (status < 200 || bodyUsed)
      throw faulty(bodyUsed ? 'expected a Response whose body is unread' : `expected a status from 200 to 599, got ${status}`)
    return reply
  }
  const fault = replyFault(reply, undefined, 'a string. To stream, return a Response')
  if (fault !== undefined) throw faulty(fault)
  try {
    return toResponse(reply as Reply, id)
  } catch (cause) {
    throw faulty('expected the names and values of headers to be valid HTTP, and no body with a status that has none', cause)
  }
}

export function toResponse({ status, headers = {}, body }: Reply, id?: string): Response {
  const text = (body as string | undefined) ?? ''
  return new Response(text || null, {
    status,
    headers: {
      ...headers,
      ...(id && { 'x-request-id': id }),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-length': String(Buffer.byteLength(text)),
    },
  })
}
