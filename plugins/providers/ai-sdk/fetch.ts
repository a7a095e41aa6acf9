import { Readable } from 'node:stream'
import type { HttpClient } from '../../../core/kit.ts'
import { streamedBody, wholeBody } from './answer-body.ts'
import { holdsOf } from './holders.ts'

type Fetch = typeof globalThis.fetch

const withoutBody = new Set([204, 205, 304])

/** The setting `fetch` of every package. Requests share the gateway's connections and timeouts, and do not follow redirects. */
export function fetchThrough(http: HttpClient, connectTimeoutMs: number | undefined): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { method, url, signal } = request
    if (method !== 'GET' && method !== 'POST')
      throw new TypeError(`The gateway sends only GET and POST requests for a package, not ${method}.`)
    const headers = Object.fromEntries(request.headers)
    const body = request.body ? { body: new Uint8Array(await request.arrayBuffer()) } : {}
    const reply = await http.send({ method, url, headers, ...body }, { signal, connectTimeoutMs })
    if (withoutBody.has(reply.status)) {
      reply.body.resume()
      return new Response(null, { status: reply.status })
    }
    const holds = holdsOf(init?.signal)
    const isStream = reply.headers['content-type']?.startsWith('text/event-stream') === true
    const bytes = Readable.from(isStream ? streamedBody(reply.body, holds) : wholeBody(reply.body, holds), { objectMode: false })
    return new Response(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, {
      status: reply.status,
      headers: headersOf(reply.headers),
    })
  }
}

function headersOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Headers {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const each of [value ?? []].flat()) all.append(name, each)
  return all
}
