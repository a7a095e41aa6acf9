import type { Exchange, JsonOptions, StreamBody } from '../contracts/route.ts'
import type { Logger } from '../foundation/logger.ts'
import type { Settings } from '../framework/settings.ts'
import type { RecordDraft } from '../records/record.ts'
import { jsonIn, longJsonIn, readText, withoutByteOrderMark } from './body.ts'
import type { Channel, HeaderReader } from './channel.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { LiveBodies, LiveBody } from './live-bodies.ts'
import { LiveScope } from './scope.ts'
import type { CoalescedBody } from './stream-body.ts'

/** The same for all exchanges. */
export interface ExchangeParts {
  readonly log: Logger
  readonly heartbeat: Heartbeat
  readonly bodies: LiveBodies
  readonly settings: Settings
}

/** One request to the public API. */
export class HttpExchange extends LiveScope implements Exchange {
  readonly params: Readonly<Record<string, string>>
  readonly #channel: Channel
  readonly #parts: ExchangeParts
  #body: LiveBody | undefined
  /** The decompressed length of the body that `json` read. */
  bodyBytes: number | undefined
  /** The streamed body, if the route has asked for one. */
  streamed: CoalescedBody | undefined
  /** Set if the request outlives its connection. */
  #connection: AbortController | undefined

  constructor(parts: ExchangeParts, id: string, channel: Channel, params: Readonly<Record<string, string>>, record: RecordDraft) {
    super(id, parts.log, record)
    this.#parts = parts
    this.#channel = channel
    this.params = params
    channel.watch(() => this.#gone())
  }

  get request(): Request {
    return this.#channel.request
  }

  get headers(): HeaderReader {
    return this.#channel.headers
  }

  override get traceparent(): string | null {
    return this.headers.get('traceparent')
  }

  get query(): URLSearchParams {
    return this.#channel.query
  }

  json({ maxValues }: JsonOptions = {}): Promise<unknown> {
    const { bodies, settings } = this.#parts
    this.#body ??= bodies.open(this.record.caller?.key.id ?? '')
    try {
      return readText(this.#channel, settings.maxBodyBytes, this.#body).then(received => {
        const text = withoutByteOrderMark(received)
        this.bodyBytes = Buffer.byteLength(text)
        return maxValues === undefined ? jsonIn(text) : longJsonIn(text, maxValues)
      })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  stream(): StreamBody {
    return (this.streamed ??= this.#channel.stream(this.#parts.heartbeat))
  }

  /** The body no longer counts. */
  protected override release(): void {
    this.#body?.release()
  }

  detach(): AbortSignal {
    return (this.#connection ??= new AbortController()).signal
  }

  #gone(): void {
    this.streamed?.leave()
    if (this.#connection) this.#connection.abort()
    else this.leave()
  }
}
