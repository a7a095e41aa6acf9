import type { Logger, LogSink, RequestRecord } from '../../../core/index.ts'
import { describeError, retryAfterMs, type HttpClient } from '../../../core/kit.ts'
import type { DeadLetters } from './dead-letters.ts'

export interface DeliveryOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly format: 'array' | 'lines'
  readonly content: boolean
  readonly timeoutMs: number
  readonly maxAttempts: number
}

const firstWaitMs = 1_000
const maxWaitMs = 30_000

/** Why a batch was not delivered. */
class Undelivered extends Error {
  /** False if another try would fail, too. */
  readonly mayPass: boolean
  /** The wait that the recipient asks for, in milliseconds. */
  readonly waitMs: number | undefined

  constructor(reason: string, mayPass: boolean, waitMs?: number) {
    super(reason)
    this.mayPass = mayPass
    this.waitMs = waitMs
  }
}

/** Posts batches. Those that cannot be delivered go into the dead-letter file. */
export class Delivery implements Pick<LogSink, 'write' | 'retryAfterMs' | 'giveUp'> {
  readonly #http: HttpClient
  readonly #options: DeliveryOptions
  readonly #dead: DeadLetters
  readonly #log: Logger
  readonly #stopping = new AbortController()

  constructor(http: HttpClient, options: DeliveryOptions, dead: DeadLetters, log: Logger) {
    this.#http = http
    this.#options = options
    this.#dead = dead
    this.#log = log
  }

  async write(batch: readonly RequestRecord[]): Promise<void> {
    const { url, headers, format, timeoutMs } = this.#options
    const type = format === 'lines' ? 'application/x-ndjson' : 'application/json'
    const body = this.#bodyOf(batch)
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal])
    const reply = await this.#http.send({ method: 'POST', url, headers: { 'content-type': type, ...headers }, body }, { signal })
    reply.body.on('error', () => {}).destroy()
    const { status } = reply
    if (status >= 200 && status < 300) return
    throw new Undelivered(`status ${status}`, status === 408 || status === 429 || status >= 500, retryAfterMs(reply.headers))
  }

  retryAfterMs(error: unknown, failures: number): number | undefined {
    const { mayPass, waitMs } = error instanceof Undelivered ? error : { mayPass: true }
    if (!mayPass || failures >= this.#options.maxAttempts || this.#stopping.signal.aborted) return undefined
    return Math.min(waitMs ?? firstWaitMs * 2 ** (failures - 1), maxWaitMs)
  }

  async giveUp(batch: readonly RequestRecord[], error: unknown): Promise<void> {
    const reason = error instanceof Undelivered ? error.message : describeError(error)
    await this.#dead.keep(batch)
    this.#log.error('could not deliver records; they are in the dead-letter file', { records: batch.length, reason })
  }

  /** Gives up the batch under way. */
  stop(): void {
    this.#stopping.abort()
  }

  #bodyOf(batch: readonly RequestRecord[]): string {
    if (this.#options.format === 'array') return JSON.stringify(batch)
    return batch.map(record => `${JSON.stringify(record)}\n`).join('')
  }
}
