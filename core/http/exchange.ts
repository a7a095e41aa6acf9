import { Cancellation } from '../foundation/cancellation.ts'
import type { Exchange, StreamBody } from '../contracts/route.ts'
import type { Caller } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Logger } from '../foundation/logger.ts'
import type { RecordDraft } from '../records/record.ts'
import { jsonIn, readText } from './body.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { LiveBodies, LiveBody } from './live-bodies.ts'
import { CoalescedBody } from './stream-body.ts'

export interface ExchangeParts {
  readonly id: string
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly log: Logger
  readonly record: RecordDraft
  readonly heartbeat: Heartbeat
  readonly maxBodyBytes: number
  readonly bodies: LiveBodies
}

/** One HTTP request. Its cancellation covers the whole request, including the run. */
export class HttpExchange implements Exchange {
  place = -1
  readonly id: string
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly log: Logger
  readonly record: RecordDraft
  readonly cancellation = new Cancellation()
  readonly #heartbeat: Heartbeat
  readonly #maxBodyBytes: number
  readonly #bodies: LiveBodies
  #body: LiveBody | undefined
  #caller: Caller | undefined
  work: Promise<unknown> | undefined
  /** The decompressed length of the body that `json` read. */
  bodyBytes: number | undefined

  constructor(parts: ExchangeParts) {
    this.id = parts.id
    this.request = parts.request
    this.params = parts.params
    this.log = parts.log
    this.record = parts.record
    this.#heartbeat = parts.heartbeat
    this.#maxBodyBytes = parts.maxBodyBytes
    this.#bodies = parts.bodies
    this.#watchClient()
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get query(): URLSearchParams {
    return new URL(this.request.url).searchParams
  }

  get caller(): Caller {
    if (!this.#caller) throw new Error('this route does not authenticate, so there is no caller')
    return this.#caller
  }

  admitted(caller: Caller): void {
    this.#caller = caller
    this.record.caller = caller
  }

  async json(): Promise<unknown> {
    this.#body ??= this.#bodies.open(this.#caller?.key.id ?? '')
    const text = await readText(this.request, this.#maxBodyBytes, this.#body)
    this.bodyBytes = Buffer.byteLength(text)
    return jsonIn(text)
  }

  /** The request is over: its body no longer counts. */
  end(): void {
    this.#body?.release()
  }

  note(kind: string, summary: JsonObject): void {
    this.record.notes.push({ kind, summary })
  }

  stream(): StreamBody {
    return new CoalescedBody(this.#heartbeat, () => this.#gone())
  }

  #watchClient(): void {
    const response = (this.request as NodeBackedRequest).runtime?.node?.res
    // Over a socket this avoids the second AbortController that `request.signal` would create.
    if (!response) this.request.signal.addEventListener('abort', () => this.#gone(), { once: true })
    else response.once('close', () => response.writableEnded || this.#gone())
  }

  #gone(): void {
    if (!this.cancellation.aborted) this.cancellation.abort(clientGone())
  }
}

interface NodeBackedRequest {
  readonly runtime?: {
    readonly node?: { readonly res?: { readonly writableEnded: boolean; once(event: 'close', listener: () => void): unknown } }
  }
  readonly signal: AbortSignal
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
