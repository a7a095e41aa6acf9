import pTimeout from 'p-timeout'
import type { Cancellation } from '../foundation/cancellation.ts'
import type { Clock } from '../foundation/clock.ts'
import { noUsage, type GenerationEvent, type TokenUsage } from '../contracts/events.ts'
import type { MetricStore } from '../contracts/metric-store.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { OpenRecord } from '../contracts/log-sink.ts'
import { ProviderFailure, type AttemptClock, type Credential, type Provider, type Timeouts } from '../contracts/provider.ts'
import type { Warning } from '../contracts/route.ts'
import type { Candidate } from '../routing/plan.ts'
import { policyOf } from './failure-policy.ts'

/** An endpoint that an attempt may ask, and who serves it: a provider or a decision client. */
export interface Contender {
  readonly endpoint: Endpoint
  readonly provider: Pick<Provider, 'id' | 'credentials'>
}

export interface AttemptParts<C extends Contender = Candidate> {
  readonly candidate: C
  readonly credential: Credential | undefined
  readonly warnings?: readonly Warning[]
  readonly totalMs: number
  /** For a streamed reply. */
  readonly streamed?: Pick<Timeouts, 'firstEventMs' | 'betweenEventsMs'> | undefined
  readonly run: Cancellation
  readonly record: OpenRecord
}

export interface AttemptServices {
  readonly clock: Clock
  readonly metrics: MetricStore
}

/** How long a provider may send more events after its finish. */
const lastMs = 1_000

/** One try at one candidate: its timers, its abort signal, its events, and its measurements. */
export class Attempt<E extends object = GenerationEvent, C extends Contender = Candidate> implements AttemptClock {
  readonly candidate: C
  readonly credential: Credential | undefined
  readonly warnings: Warning[]
  /** The events up to the first semantic one. */
  readonly head: E[] = []
  readonly #parts: AttemptParts<C>
  readonly #services: AttemptServices
  readonly #controller = new AbortController()
  /** Every pause moves it forward. */
  #start: number
  #pausedAt = 0
  #total: NodeJS.Timeout
  #silence: NodeJS.Timeout | undefined
  #latencyMs: number | undefined
  #iterator: AsyncIterator<E | readonly E[]> | undefined
  #list: readonly E[] = []
  #taken = 0
  #rejectStep: ((reason: unknown) => void) | undefined
  #count: ((event: E) => void) | undefined
  #isOver = false
  #ended = false
  readonly #onRunAbort = (reason: unknown): void => this.#abort(reason)

  constructor(parts: AttemptParts<C>, services: AttemptServices) {
    this.#parts = parts
    this.#services = services
    this.candidate = parts.candidate
    this.credential = parts.credential
    this.warnings = [...(parts.warnings ?? [])]
    this.#start = services.clock.elapsed()
    this.#total = this.#totalTimer(parts.totalMs)
    this.#silence = this.#silenceTimer()
    parts.run.onAbort(this.#onRunAbort)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Calls `count` with each event before returning it. `count` may throw. */
  begin(events: AsyncIterable<E | readonly E[]>, count?: (event: E) => void): void {
    this.#iterator = events[Symbol.asyncIterator]()
    this.#count = count
  }

  /** The next event, if it arrived together with an earlier one. */
  take(): E | undefined {
    if (this.#taken >= this.#list.length) return undefined
    const event = this.#list[this.#taken++]!
    this.#count?.(event)
    return event
  }

  /** Waits for the next event; undefined at the end. Rejects as soon as the attempt is aborted, even if the provider does not. */
  next(): Promise<E | undefined> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason)
      this.#rejectStep = reject
      this.#iterator!.next().then(({ done, value }) => {
        if (done) {
          this.#isOver = true
          return resolve(undefined)
        }
        if (this.#latencyMs !== undefined) this.#silence?.refresh()
        try {
          if (Array.isArray(value)) {
            this.#list = value
            this.#taken = 0
            return resolve(this.take() ?? this.next())
          }
          this.#count?.(value as E)
          resolve(value as E)
        } catch (error) {
          reject(error)
        }
      }, reject)
    })
  }

  /** The next event after the finish, if it comes within a second. Usually the reply ends there, which gives undefined. */
  async last(): Promise<E | undefined> {
    try {
      return await pTimeout(this.next(), { milliseconds: lastMs, message: false })
    } catch (error) {
      // The answer is complete; only an abort still matters.
      if (this.signal.aborted) throw error
      return undefined
    }
  }

  /** Waits for `work`, and rejects as soon as the attempt is aborted. */
  unlessAborted(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason)
      this.#rejectStep = reject
      work.then(resolve, reject)
    })
  }

  /** Call when the first semantic event has arrived. From then on, `betweenEventsMs` applies. */
  commit(): void {
    if (!this.#parts.streamed) return
    this.#latencyMs = this.#services.clock.elapsed() - this.#start
    clearTimeout(this.#silence)
    this.#silence = this.#silenceTimer()
  }

  /** Stops the timers while `work` runs. */
  async pauseFor<T>(work: Promise<T>): Promise<T> {
    this.pause()
    try {
      return await work
    } finally {
      this.resume()
    }
  }

  /** Stops the timers: the client is not reading, or the gateway itself is busy. Neither is the provider's time. */
  pause(): void {
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    this.#pausedAt = this.#services.clock.elapsed()
  }

  resume(): void {
    if (this.#ended || this.signal.aborted) return
    const now = this.#services.clock.elapsed()
    this.#start += now - this.#pausedAt
    this.#total = this.#totalTimer(Math.max(0, this.#parts.totalMs - (now - this.#start)))
    this.#silence = this.#silenceTimer()
  }

  /** Records and measures the attempt. Only the first call counts. `left`: the client or the gateway gave up. */
  end(outcome: 'ok' | 'left' | ProviderFailure, usage: TokenUsage = noUsage): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    const { run, record, candidate } = this.#parts
    const { clock, metrics } = this.#services
    run.offAbort(this.#onRunAbort)
    // Also stops a provider that keeps sending after its finish.
    if (outcome !== 'ok' || !this.#isOver) this.#abort(new Error('the attempt was given up'))
    const { provider, model, listed } = candidate.endpoint
    const totalMs = clock.elapsed() - this.#start
    const failure = typeof outcome === 'string' ? undefined : outcome
    record.attempts.push({
      provider,
      model,
      outcome: failure?.kind ?? (outcome as string),
      status: failure?.status ?? null,
      elapsedMs: Math.round(totalMs * 1000) / 1000,
    })
    // The caller made the model name up: keep it out of the metrics.
    if (failure?.kind === 'not-found' && !listed) return
    metrics.record({
      provider,
      model,
      listed,
      at: clock.now(),
      outcome: outcome === 'ok' ? 'ok' : failure && policyOf(failure).isFault ? 'fault' : 'neutral',
      latencyMs: this.#latencyMs,
      totalMs,
      inputTokens: usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
      outputTokens: usage.output,
    })
  }

  #totalTimer(leftMs: number): NodeJS.Timeout {
    return this.#timer(leftMs, `did not finish within ${this.#parts.totalMs} ms`)
  }

  /** A reply that is not streamed arrives all at once, so only the total time-out applies. */
  #silenceTimer(): NodeJS.Timeout | undefined {
    const { streamed } = this.#parts
    if (!streamed) return undefined
    const { firstEventMs, betweenEventsMs } = streamed
    return this.#latencyMs === undefined
      ? this.#timer(firstEventMs, `sent nothing within ${firstEventMs} ms`)
      : this.#timer(betweenEventsMs, `sent nothing for ${betweenEventsMs} ms`)
  }

  #timer(afterMs: number, problem: string): NodeJS.Timeout {
    const { provider } = this.#parts.candidate
    return setTimeout(
      () => this.#abort(new ProviderFailure({ kind: 'timeout', message: `The provider "${provider.id}" ${problem}.` })),
      afterMs,
    )
  }

  #abort(reason: unknown): void {
    if (this.#controller.signal.aborted) return
    this.#controller.abort(reason)
    this.#rejectStep?.(reason)
    // Ends a provider that does not watch its signal. Errors that it still throws no longer matter.
    this.#iterator?.return?.().catch(() => {})
  }
}
