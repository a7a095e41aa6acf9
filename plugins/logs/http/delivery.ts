import { setTimeout } from 'node:timers/promises'
import type { Logger, RequestRecord } from '../../../core/index.ts'
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
const longestWaitMs = 30_000

/** Posts batches, and retries those that may succeed later. */
export class Delivery {
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

  /** Throws only if the records cannot be kept in the file either. */
  async deliver(batch: readonly RequestRecord[]): Promise<void> {
    const body = this.#bodyOf(batch)
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#post(body)
      if (outcome === 'delivered') return
      if (!outcome.passes || attempt >= this.#options.maxAttempts || this.#stopping.signal.aborted) {
        this.#log.error('could not deliver records; they are in the dead-letter file', {
          records: batch.length,
          reason: outcome.reason,
        })
        return await this.#dead.keep(batch)
      }
      const waitMs = Math.min(outcome.waitMs ?? firstWaitMs * 2 ** (attempt - 1), longestWaitMs)
      await setTimeout(waitMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {})
    }
  }

  /** Gives up the batches under way. They go into the dead-letter file. */
  stop(): void {
    this.#stopping.abort()
  }

  async #post(
    body: string,
  ): Promise<'delivered' | { readonly passes: boolean; readonly reason: unknown; readonly waitMs?: number | undefined }> {
    const { url, headers, format, timeoutMs } = this.#options
    const type = format === 'lines' ? 'application/x-ndjson' : 'application/json'
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal])
    try {
      const reply = await this.#http.send({ method: 'POST', url, headers: { 'content-type': type, ...headers }, body }, { signal })
      reply.body.on('error', () => {}).destroy()
      const { status } = reply
      if (status >= 200 && status < 300) return 'delivered'
      return { passes: status === 408 || status === 429 || status >= 500, reason: `status ${status}`, waitMs: retryAfterMs(reply.headers) }
    } catch (error) {
      return { passes: true, reason: describeError(error) }
    }
  }

  #bodyOf(batch: readonly RequestRecord[]): string {
    if (this.#options.format === 'array') return JSON.stringify(batch)
    return batch.map(record => `${JSON.stringify(record)}\n`).join('')
  }
}
