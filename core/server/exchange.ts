import { Cancellation } from '../runtime/cancellation.ts'
import type { Exchange, StreamBody } from '../contracts/route.ts'
import type { Caller } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Logger } from '../foundation/logger.ts'
import type { RecordDraft } from '../records/record.ts'
import type { Settings } from '../framework/settings.ts'
import { jsonIn, readText, withoutByteOrderMark } from './body.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { HeaderReader, Incoming } from './incoming.ts'
import type { LiveBodies, LiveBody } from './live-bodies.ts'
import type { CoalescedBody } from './stream-body.ts'

/** The same for all exchanges. */
export interface ExchangeParts {
  readonly log: Logger
  readonly heartbeat: Heartbeat
  readonly bodies: LiveBodies
  readonly settings: Settings
}

/** One HTTP request. Its cancellation covers the whole request, including the run. */
export class HttpExchange implements Exchange {
  place = -1
  readonly id: string
  readonly params: Readonly<Record<string, string>>
  readonly log: Logger
  readonly record: RecordDraft
  readonly cancellation = new Cancellation()
  readonly #incoming: Incoming
  readonly #parts: ExchangeParts
  #body: LiveBody | undefined
  #caller: Caller | undefined
  work: Promise<unknown> | undefined
  /** The decompressed length of the body that `json` read. */
  bodyBytes: number | undefined
  /** The streamed body, if the route has asked for one. */
  streamed: CoalescedBody | undefined

  constructor(parts: ExchangeParts, id: string, incoming: Incoming, params: Readonly<Record<string, string>>, record: RecordDraft) {
    this.#parts = parts
    this.id = id
    this.#incoming = incoming
    this.params = params
    this.log = parts.log
    this.record = record
    incoming.watch(() => this.#gone())
  }

  get request(): Request {
    return this.#incoming.request
  }

  get headers(): HeaderReader {
    return this.#incoming.headers
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get query(): URLSearchParams {
    return this.#incoming.query
  }

  get caller(): Caller {
    if (!this.#caller) throw new Error('this route does not authenticate, so there is no caller')
    return this.#caller
  }

  admitted(caller: Caller): void {
    this.#caller = caller
    this.record.caller = caller
  }

  json(): Promise<unknown> {
    this.#body ??= this.#parts.bodies.open(this.#caller?.key.id ?? '')
    try {
      return readText(this.#incoming, this.#parts.settings.maxBodyBytes, this.#body).then(received => {
        const text = withoutByteOrderMark(received)
        this.bodyBytes = Buffer.byteLength(text)
        return jsonIn(text)
      })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** The request is over: its body no longer counts. */
  end(): void {
    this.#body?.release()
  }

  note(kind: string, summary: JsonObject): void {
    this.record.notes.push({ kind, summary })
  }

  keep(kind: string, content: JsonObject): void {
    this.record.keep(kind, content)
  }

  stream(): StreamBody {
    return (this.streamed ??= this.#incoming.stream(this.#parts.heartbeat))
  }

  #gone(): void {
    this.streamed?.leave()
    if (!this.cancellation.aborted) this.cancellation.abort(clientGone())
  }
}

/** Recorded as 499, never delivered: docs/protocol/http.md#disconnects. */
function clientGone(): GatewayError {
  return new GatewayError({
    status: 499,
    type: 'invalid_request_error',
    code: 'client_closed_request',
    message: 'The client closed the connection before the answer.',
  })
}
