import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ProviderFailure } from '../../../core/index.ts'
import { retryAfterMs, type HttpClient } from '../../../core/kit.ts'
import type { Losses } from './losses.ts'
import type { Envelope } from './wire/envelope.ts'
import { rejectedIn } from './wire/partial-success.ts'

export interface DeliveryOptions {
  readonly url: string
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly compression: 'gzip' | 'none'
  readonly timeoutMs: number
}

/** In all, with waits of 1, 2, 4 and 8 seconds between them, unless the collector names others. */
const maxAttempts = 5
const firstWaitMs = 1_000
/** Whatever the collector asks for. */
const maxWaitMs = 60_000
/** A reply says how much was rejected, if anything. More is not read. */
const maxReplyBytes = 64 * 1_024

/** The statuses after which the specification of OTLP allows another try. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

interface Outcome {
  readonly isDone: boolean
  readonly rejected?: number
  readonly why?: string
  readonly mayPass?: boolean
  readonly waitMs?: number | undefined
}

const zip = promisify(gzip)

/** Posts batches of one signal to a collector. */
export class Delivery {
  readonly #http: HttpClient
  readonly #options: DeliveryOptions
  readonly #envelope: Envelope
  readonly #losses: Losses
  readonly #stopping = new AbortController()
  #isLast = false
  /** End the waits before the next tries. */
  readonly #wakes = new Set<() => void>()

  constructor(http: HttpClient, options: DeliveryOptions, envelope: Envelope, losses: Losses) {
    this.#http = http
    this.#options = options
    this.#envelope = envelope
    this.#losses = losses
  }

  /** Resolves when the batch is delivered or lost. Never rejects. */
  async deliver(encodedItems: Uint8Array, items: number): Promise<void> {
    const whole = this.#envelope.around(encodedItems)
    const body = this.#options.compression === 'gzip' ? await zip(whole) : whole
    for (let attempts = 1; ; attempts++) {
      const isLast = this.#isLast
      const outcome = await this.#send(body)
      if (outcome.isDone) {
        if (outcome.rejected) this.#losses.lost(outcome.rejected, 'the collector rejected a part')
        else this.#losses.delivered()
        return
      }
      if (!outcome.mayPass || attempts >= maxAttempts || isLast) return this.#losses.lost(items, outcome.why!)
      if (!this.#isLast) await this.#pause(Math.min(outcome.waitMs ?? firstWaitMs * 2 ** (attempts - 1), maxWaitMs))
    }
  }

  /** From now on, every batch has one try, and nothing waits. */
  hurry(): void {
    this.#isLast = true
    for (const wake of this.#wakes) wake()
  }

  /** Ends what is under way. */
  stop(): void {
    this.hurry()
    this.#stopping.abort()
  }

  async #send(body: Uint8Array): Promise<Outcome> {
    const { url, headers, compression, timeoutMs } = this.#options
    const ending = new AbortController()
    const end = (): void => ending.abort()
    const timer = setTimeout(end, timeoutMs)
    this.#stopping.signal.addEventListener('abort', end, { once: true })
    try {
      if (this.#stopping.signal.aborted) return { isDone: false, why: stopped }
      const sent = { ...headers, 'content-type': 'application/x-protobuf', ...(compression === 'gzip' && { 'content-encoding': 'gzip' }) }
      const reply = await this.#http.send({ method: 'POST', url, headers: sent, body }, { signal: ending.signal })
      const isDone = reply.status >= 200 && reply.status < 300
      const isMessage = isDone && /^application\/x-protobuf\b/.test(String(reply.headers['content-type']))
      // With its status, the collector has said what became of the batch. It must not get it twice because the rest of a reply is missing.
      const received = await beginningOf(reply.body).catch(() => new Uint8Array())
      if (isDone) return { isDone, rejected: (isMessage && rejectedIn(received)) || 0 }
      return { isDone, why: `status ${reply.status}`, mayPass: passing.has(reply.status), waitMs: retryAfterMs(reply.headers) }
    } catch (error) {
      return { isDone: false, why: this.#reasonOf(error, ending.signal), mayPass: true }
    } finally {
      clearTimeout(timer)
      this.#stopping.signal.removeEventListener('abort', end)
    }
  }

  #reasonOf(error: unknown, { aborted }: AbortSignal): string {
    if (this.#stopping.signal.aborted) return stopped
    if (aborted) return `no reply within ${this.#options.timeoutMs} ms`
    return ProviderFailure.is(error) ? codeOf(error) : 'the request could not be sent'
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#wakes.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms).unref()
      this.#wakes.add(wake)
    })
  }
}

/** Why the connection failed, by the code of the system: the message may name an address with a password. */
function codeOf({ cause }: ProviderFailure): string {
  const { code } = Object(cause) as { readonly code?: unknown }
  return typeof code === 'string' ? code : 'the connection failed'
}

/** The first bytes of a body. A longer one is not read to its end, so its connection is not used again. */
async function beginningOf(body: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxReplyBytes) break
  }
  return Buffer.concat(chunks)
}

const stopped = 'the gateway stopped'
