import { Readable } from 'node:stream'
import type { HttpClient } from '../../../core/kit.ts'
import { ServerFault } from './server-fault.ts'

/** The largest reply of a server. */
const maxBytes = 8 * 1024 * 1024

export interface McpFetchOptions {
  readonly http: HttpClient
  /** For servers that callers name by an address that the config does not list itself. */
  readonly publicOnly: boolean
  /** The time limit of one exchange, in milliseconds. */
  readonly timeoutMs: number
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * The gateway's HTTP client as a `fetch`: with its proxies and its check of addresses, without redirects, and with limits of time and size.
 * It opens no stream that only waits for messages: the gateway needs none.
 */
export function mcpFetch({ http, publicOnly, timeoutMs }: McpFetchOptions): Fetch {
  return async (url, { method = 'GET', headers: given, body, signal } = {}) => {
    const headers = new Headers(given)
    if (method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 })
    const late = AbortSignal.timeout(timeoutMs)
    const { href, search } = new URL(url)
    const reply = await http.send(
      {
        method: method as 'GET' | 'POST' | 'DELETE',
        // The query may hold a secret.
        url: search ? href.slice(0, -search.length) : href,
        ...(search && { query: search.slice(1) }),
        headers: Object.fromEntries(headers),
        ...(typeof body === 'string' && { body }),
      },
      { signal: signal ? AbortSignal.any([signal, late]) : late, publicOnly },
    )
    const { status } = reply
    const isRedirect = status >= 300 && status < 400
    if (isRedirect || status === 204 || status === 205) {
      reply.body.on('error', () => {})
      reply.body.destroy()
      if (isRedirect) throw new ServerFault('answered with a redirect, which the gateway does not follow')
      return new Response(null, { status })
    }
    const known = Object.entries(reply.headers).filter((header): header is [string, string] => header[1] !== undefined)
    return new Response(counted(reply.body), { status, headers: known })
  }
}

function counted(body: Readable): ReadableStream<Uint8Array> {
  let bytes = 0
  return (Readable.toWeb(body) as ReadableStream<Uint8Array>).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes <= maxBytes) controller.enqueue(chunk)
        else controller.error(new ServerFault(`sent more than ${maxBytes / 1024 / 1024} MiB`))
      },
    }),
  )
}
