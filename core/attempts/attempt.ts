import pTimeout from 'p-timeout'
import type { Cancellation } from '../foundation/cancellation.ts'
import type { Clock } from '../foundation/clock.ts'
import { noUsage, type GenerationEvent, type TokenUsage } from '../contracts/events.ts'
import type { MetricStore } from '../contracts/metric-store.ts'
import { ProviderFailure, type AttemptClock, type Credential, type Timeouts } from '../contracts/provider.ts'
import type { Warning } from '../contracts/route.ts'
import type { Contender } from './failover.ts'
import type { OpenRecord } from '../contracts/log-sink.ts'
import type { Candidate } from '../routing/plan.ts'

export interface AttemptParts<C extends Contender = Candidate> {
  readonly candidate: C
  readonly credential: Credential | undefined
  readonly warnings?: readonly Warning[]
  readonly totalMs: number
  /** Of a reply that streams. */
  readonly streamed?: Pick<Timeouts, 'firstEventMs' | 'betweenEventsMs'> | undefined
  readonly run: Cancellation
  readonly clock: Clock
  readonly metrics: MetricStore
  readonly record: OpenRecord
}

/** How long a provider may go on after its finish. */
const lastMs = 1_000

/** One try at one candidate: its clock, its abort, its events, and what is measured of it. */
export class Attempt<E extends object = GenerationEvent, C extends Contender = Candidate> implements AttemptClock {
  readonly candidate: C
  readonly credential: Credential | undefined
  readonly warnings: Warning[]
  /** What came up to the first semantic event. */
  readonly head: E[] = []
  readonly #parts: AttemptParts<C>
  readonly #controller = new AbortController()
  /** Moved on by every pause. */
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

  constructor(parts: AttemptParts<C>) {
    this.#parts = parts
    this.candidate = parts.candidate
    this.credential = parts.credential
    this.warnings = [...(parts.warnings ?? [])]
    this.#start = parts.clock.elapsed()
    this.#total = this.#totalTimer(parts.totalMs)
    this.#silence = this.#silenceTimer()
    parts.run.onAbort(this.#onRunAbort)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** `count` is called with each event before it is given out, and may throw. */
  begin(events: AsyncIterable<E | readonly E[]>, count?: (event: E) => void): void {
    this.#iterator = events[Symbol.asyncIterator]()
    this.#count = count
  }

  /** An event that has come already, together with an earlier one. */
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

  /** What comes after the finish, if it comes within a second; most often the end, which is undefined. */
  async last(): Promise<E | undefined> {
    try {
      return await pTimeout(this.next(), { milliseconds: lastMs, message: false })
    } catch (error) {
      // The answer is whole; only its caller can still call it off.
      if (this.signal.aborted) throw error
      return undefined
    }
  }

  /** Waits for something else than an event, and rejects as soon as the attempt is aborted. */
  unlessAborted(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason)
      this.#rejectStep = reject
      work.then(resolve, reject)
    })
  }

  /** The first semantic event has come: from now on the time between events counts. */
  commit(): void {
    if (!this.#parts.streamed) return
    this.#latencyMs = this.#parts.clock.elapsed() - this.#start
    clearTimeout(this.#silence)
    this.#silence = this.#silenceTimer()
  }

  /** Time that `work` takes is not the provider's. */
  async pauseFor<T>(work: Promise<T>): Promise<T> {
    this.pause()
    try {
      return await work
    } finally {
      this.resume()
    }
  }

  /** The client does not read, or the gateway itself is at work: that time is not the provider's. */
  pause(): void {
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    this.#pausedAt = this.#parts.clock.elapsed()
  }

  resume(): void {
    if (this.#ended || this.signal.aborted) return
    const now = this.#parts.clock.elapsed()
    this.#start += now - this.#pausedAt
    this.#total = this.#totalTimer(Math.max(0, this.#parts.totalMs - (now - this.#start)))
    this.#silence = this.#silenceTimer()
  }

  /** Closes the books, once. `outcome` is `ok`, `left`, or the failure. */
  end(outcome: 'ok' | 'left' | ProviderFailure, usage: TokenUsage = noUsage): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    const { run, clock, metrics, record, candidate } = this.#parts
    run.offAbort(this.#onRunAbort)
    // A provider that goes on after its finish is stopped too.
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
    // A name that somebody made up is no endpoint.
    if (failure?.kind === 'not-found' && !listed) return
    metrics.record({
      provider,
      model,
      listed,
      at: clock.now(),
      outcome: outcome === 'ok' ? 'ok' : failure && isFault(failure) ? 'fault' : 'neutral',
      latencyMs: this.#latencyMs,
      totalMs,
      inputTokens: usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
      outputTokens: usage.output,
    })
  }

  #totalTimer(leftMs: number): NodeJS.Timeout {
    return this.#timer(leftMs, `did not finish within ${this.#parts.totalMs} ms`)
  }

  /** A reply that does not stream comes all at once: only the total time-out can tell that it is late. */
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
    // Ends a provider that does not watch its signal; what it still throws concerns nobody.
    this.#iterator?.return?.().catch(() => {})
  }
}

/** Whether a failure speaks against the provider rather than the request. */
function isFault({ kind }: ProviderFailure): boolean {
  return kind !== 'invalid-request' && kind !== 'not-found' && kind !== 'context-length' && kind !== 'refused'
}
