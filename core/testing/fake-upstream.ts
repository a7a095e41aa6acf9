import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How the upstream answers one request: `before`, then the head, then the body piece by piece. */
export interface FakeReply {
  /** Default: 200. */
  readonly status?: number
  /** By name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Steps before the head is sent: a gate, a stall, a reset. */
  readonly before?: readonly Control[]
  /** Default: empty. */
  readonly body?: string | Uint8Array | readonly Step[]
}

/** Strings and bytes are written and flushed at once. The body ends after the last step. */
export type Step = string | Uint8Array | Control

/**
 * `turn`: waits one turn of the event loop. `stall`: sends nothing more until the client leaves. `cut`: ends the connection in the middle
 * of the body. `reset`: resets the connection.
 */
export type Control = Gate | typeof turn | typeof stall | typeof cut | typeof reset
/** See `Control`: waits one turn of the event loop. */
export const turn = Symbol('turn')
/** See `Control`: sends nothing more until the client leaves. */
export const stall = Symbol('stall')
/** See `Control`: ends the connection in the middle of the body. */
export const cut = Symbol('cut')
/** See `Control`: resets the connection. */
export const reset = Symbol('reset')

/** Holds a reply until the test opens it. */
export class Gate {
  readonly #reached = Promise.withResolvers<void>()
  readonly #opened = Promise.withResolvers<void>()

  /** Resolves when the reply reaches this step. */
  get reached(): Promise<void> {
    return this.#reached.promise
  }

  /** Lets the reply go on, now or when it arrives. */
  open(): void {
    this.#opened.resolve()
  }

  /** For the upstream: resolves when the gate is open. */
  async pass(): Promise<void> {
    this.#reached.resolve()
    await this.#opened.promise
  }
}

/** A request that a fake upstream got. */
export interface ReceivedRequest {
  /** In upper case. */
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** By name in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The whole body. Empty without one. */
  readonly text: string
  /** `text` as JSON. Undefined if it is not JSON. */
  readonly body: unknown
  /** How the exchange ended. `early`: the client left before the reply was complete, or the script broke the connection. */
  readonly closed: Promise<'complete' | 'early'>
}

/** Replies in the order of the requests, or a function that makes each. Requests without a reply get a 500. */
export type Script = readonly FakeReply[] | ((request: ReceivedRequest) => FakeReply)

/** A vendor on a loopback port that follows a script: the first request gets the first reply, and so on. */
export async function fakeUpstream(script: Script = []): Promise<FakeUpstream> {
  const upstream = new FakeUpstream(script)
  await upstream.listen()
  return upstream
}

/** A vendor for tests, on a port of loopback. `fakeUpstream` starts one. */
export class FakeUpstream {
  /** In the order in which they arrived. */
  readonly requests: ReceivedRequest[] = []
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  readonly #script: ((request: ReceivedRequest) => FakeReply) | undefined
  readonly #replies: FakeReply[] = []

  constructor(script: Script) {
    if (typeof script === 'function') this.#script = script
    else this.#replies.push(...script)
  }

  /** Such as `http://127.0.0.1:40123`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Adds replies to the end of the script. */
  reply(...replies: readonly FakeReply[]): void {
    this.#replies.push(...replies)
  }

  /** Takes a free port. `fakeUpstream` calls it. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => this.#server.once('error', reject).listen(0, '127.0.0.1', resolve))
  }

  /** Also ends open connections. */
  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }

  /** `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController()
    const closed = new Promise<'complete' | 'early'>(resolve =>
      response.once('close', () => {
        left.abort()
        resolve(response.writableFinished ? 'complete' : 'early')
      }),
    )
    response.on('error', () => {})
    try {
      const received = await receive(request, closed)
      this.requests.push(received)
      await send(this.#next(received), response, left.signal)
    } catch (error) {
      // The client left or the script failed. Either way the connection is over.
      if (!left.signal.aborted) response.destroy(error as Error)
    }
  }

  #next(request: ReceivedRequest): FakeReply {
    if (this.#script) return this.#script(request)
    const message = `The script of the fake upstream has no reply for request ${this.requests.length}.`
    return (
      this.#replies.shift() ?? {
        status: 500,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ error: { message } }),
      }
    )
  }
}

async function receive(request: IncomingMessage, closed: ReceivedRequest['closed']): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return { method: request.method!, url: request.url!, headers: request.headers, text, body: parse(text), closed }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function send(reply: FakeReply, response: ServerResponse, left: AbortSignal): Promise<void> {
  for (const step of reply.before ?? []) await take(step, response, left)
  if (left.aborted) return
  response.writeHead(reply.status ?? 200, reply.headers)
  response.flushHeaders()
  const { body = [] } = reply
  for (const step of typeof body === 'string' || body instanceof Uint8Array ? [body] : body) {
    await take(step, response, left)
    if (left.aborted) return
  }
  response.end()
}

async function take(step: Step, response: ServerResponse, left: AbortSignal): Promise<void> {
  if (step instanceof Gate) await Promise.race([step.pass(), gone(left)])
  else if (step === turn) await nextTurn()
  else if (step === stall) await gone(left)
  else if (step === cut) await endConnection(response, left, 'cut')
  else if (step === reset) await endConnection(response, left, 'reset')
  else await new Promise<void>(resolve => void response.write(step, () => resolve()))
}

async function endConnection(response: ServerResponse, left: AbortSignal, how: 'cut' | 'reset'): Promise<void> {
  if (how === 'cut') response.socket?.destroySoon()
  else response.socket?.resetAndDestroy()
  await gone(left)
}

async function gone(left: AbortSignal): Promise<void> {
  if (!left.aborted) await new Promise(resolve => left.addEventListener('abort', resolve, { once: true }))
}

/** A server-sent event; `data` other than a string is written as JSON. */
export function sseFrame(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}${text
    .split('\n')
    .map(line => `data: ${line}\n`)
    .join('')}\n`
}
