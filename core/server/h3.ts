// The only module that imports h3. `HttpApp` loads it when the first request needs it, because most do not, and it takes a start 40 ms of
// CPU time: it also makes Node.js load its own fetch.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { H3, handleCors, HTTPResponse, type H3Event, type Middleware } from 'h3'
import { toNodeHandler } from 'h3/node'
import type { Reply } from '../contracts/route.ts'
import { asGatewayError, GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import type { Cors } from '../framework/settings.ts'
import { errorReply } from './error-reply.ts'
import { send } from './send.ts'
import { WebChannel } from './web-channel.ts'

/** Sends a reply on the channel. */
export type Serve = (channel: WebChannel, params: Readonly<Record<string, string>>, path: string) => Promise<void>

/** All members of h3 with which middleware and routes are added. */
const additions = ['use', 'on', 'all', 'get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'connect', 'trace', 'query'] as const
const compositions = ['mount', 'register'] as const

const noParams: Readonly<Record<string, string>> = {}

/** h3 with the routes of an API. */
export class Router {
  readonly h3: H3
  #listener: ((message: IncomingMessage, response: ServerResponse) => unknown) | undefined
  #hasAdditions = false

  /** `finish` adds what every reply of the API has. */
  constructor(cors: Cors | undefined, finish: (reply: Reply) => Reply) {
    this.h3 = new H3({
      silent: true,
      onError: (error, { req }) => {
        const channel = new WebChannel(req as Request)
        send(channel, finish(errorReply(error.unhandled ? asGatewayError(error.cause) : unreadable(error))))
        return responseOf(channel)
      },
    })
    if (cors) this.h3.use(crossOrigin(cors))
  }

  /** `method`: an empty string stands for all methods that have no route. */
  add(method: string, path: string, serve: Serve): void {
    this.h3.on(method as 'GET', path, async ({ req, context, url }: H3Event) => {
      const channel = new WebChannel(req as Request)
      await serve(channel, context.params ?? noParams, url.pathname)
      return responseOf(channel)
    })
  }

  /** From here on, whatever is added comes from a plugin or an embedding program. */
  seal(): void {
    const members = this.h3 as unknown as Record<string, (...added: unknown[]) => unknown>
    for (const name of [...additions, ...compositions]) {
      const add = members[name]!
      members[name] = (...added) => {
        this.#hasAdditions = true
        return add.apply(this.h3, added)
      }
    }
  }

  /** True if middleware, hooks or routes were added. They apply to every request. */
  get isExtended(): boolean {
    const { onRequest, onResponse } = this.h3.config
    return this.#hasAdditions || !!onRequest || !!onResponse
  }

  listen(message: IncomingMessage, response: ServerResponse): void {
    this.#listener ??= toNodeHandler(this.h3) as (message: IncomingMessage, response: ServerResponse) => unknown
    void this.#listener(message, response)
  }
}

function responseOf({ reply }: WebChannel): HTTPResponse | Response {
  if (reply instanceof Response) return reply
  const { status, headers, body } = reply!
  return new HTTPResponse(body, { status, headers })
}

/**
 * Lets pages of these origins call the gateway from a browser. Preflights are answered before any route, so they need no key.
 * Keys travel in a header, never in cookies. Credentials therefore stay forbidden, and pages may read every response header.
 */
function crossOrigin({ origins, maxAgeSeconds }: Cors): Middleware {
  const options = { origin: origins.includes('*') ? ('*' as const) : [...origins], maxAge: String(maxAgeSeconds) }
  return event => handleCors(event, options) || undefined
}

/** For a URL that h3 itself rejects before any route, because its encoding is invalid. */
function unreadable({ status }: { readonly status: number }): GatewayError {
  return new GatewayError({
    status,
    type: 'invalid_request_error',
    code: 'invalid_url',
    message: wording`The URL of this request is not valid. Check its percent-encoding.`,
  })
}
