import type { ServerResponse } from 'node:http'
import type { Heartbeat } from './heartbeat.ts'
import { incompleteBody } from './incomplete-body.ts'
import type { Channel } from './channel.ts'
import { requestUrl } from './request-url.ts'
import { unreadRest } from './unread-rest.ts'
import { WebBody } from './web-body.ts'
import { WholeResponse } from './whole-response.ts'

/** A request that came through h3, and its reply. */
export class WebChannel implements Channel {
  readonly request: Request
  /** Set once a reply was sent. */
  reply: WebReply | Response | undefined
  #gone: (() => void) | undefined

  constructor(request: Request) {
    this.request = request
  }

  get method(): string {
    return this.request.method
  }

  get headers(): Headers {
    return this.request.headers
  }

  get query(): URLSearchParams {
    return requestUrl(this.request).searchParams
  }

  text(): Promise<string> {
    return this.request.text().catch(cause => {
      throw incompleteBody(cause)
    })
  }

  async *pieces(): AsyncIterable<Uint8Array> {
    const { body } = this.request
    if (!body) return
    try {
      yield* body.values({ preventCancel: true })
    } finally {
      void body.pipeTo(new WritableStream()).catch(() => {})
    }
  }

  watch(gone: () => void): void {
    this.#gone = gone
    const response = responseOf(this.request)
    // Over a socket this avoids the second AbortController that `request.signal` would create.
    if (!response) this.request.signal.addEventListener('abort', gone, { once: true })
    else response.once('close', () => response.writableEnded || gone())
  }

  stream(heartbeat: Heartbeat): WebBody {
    return new WebBody(heartbeat, () => this.#gone?.())
  }

  sendText(status: number, head: string[], text: string): void {
    const body = text === '' ? null : (endedLater(responseOf(this.request), text) ?? text)
    this.reply = { status, headers: headersOf(head), body }
  }

  sendBody(status: number, head: string[], body: WebBody | WholeResponse): void {
    if (body instanceof WholeResponse) {
      this.reply = body.response
      return
    }
    const headers = headersOf(head)
    body.begin()
    if (this.method === 'HEAD') body.end()
    this.reply = { status, headers, body: body.readable }
  }
}

/** The parts of a web `Response`. */
export interface WebReply {
  readonly status: number
  readonly headers: Headers
  readonly body: string | ReadableStream<Uint8Array> | null
}

/** The last value of a name counts. */
function headersOf(head: readonly string[]): Headers {
  const headers = new Headers()
  for (let index = 0; index < head.length; index += 2) headers.set(head[index]!, head[index + 1]!)
  return headers
}

/**
 * A body that stays open until the caller has sent the whole request, since an earlier end would close the connection. Undefined if the
 * request is complete.
 */
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

/** The Node.js response that h3 keeps with a request. Undefined without a socket. */
function responseOf(request: Request): ServerResponse | undefined {
  return (request as NodeBackedRequest).runtime?.node?.res
}

interface NodeBackedRequest {
  readonly runtime?: { readonly node?: { readonly res?: ServerResponse } }
}
