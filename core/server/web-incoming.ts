import type { ServerResponse } from 'node:http'
import type { Heartbeat } from './heartbeat.ts'
import { incompleteBody } from './incomplete-body.ts'
import type { Incoming } from './incoming.ts'
import { requestUrl } from './request-url.ts'
import { WebBody } from './web-body.ts'

/** A request that came through h3. */
export class WebIncoming implements Incoming {
  readonly request: Request
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
}

/** What h3 keeps of a request that it got from Node.js. Undefined without a socket. */
export function responseOf(request: Request): ServerResponse | undefined {
  return (request as NodeBackedRequest).runtime?.node?.res
}

interface NodeBackedRequest {
  readonly runtime?: { readonly node?: { readonly res?: ServerResponse } }
}
