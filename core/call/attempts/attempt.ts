import pTimeout from 'p-timeout'
import type { Allowance } from '../../limits/allowance.ts'
import { costOf } from '../../billing/cost.ts'
import type { Clock } from '../../foundation/clock.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { isFeed, type EventFeed } from '../../runtime/event-feed.ts'
import { isNoUsage, noUsage, type GenerationEvent, type TokenUsage } from '../../contracts/events.ts'
import type { MetricStore } from '../../contracts/metric-store.ts'
import type { ObservedAttempt } from '../../contracts/call-observer.ts'
import type { AttemptRecord, OpenRecord } from '../../contracts/log-sink.ts'
import { ProviderFailure, type AttemptClock, type Credential, type Progress, type Timeouts } from '../../contracts/provider.ts'
import type { Warning } from '../../contracts/route.ts'
import { own, wording } from '../../foundation/wording.ts'
import { Inbox } from '../../runtime/inbox.ts'
import { IteratedFeed } from '../../provider-kit/iterated-feed.ts'
import type { Candidate } from '../../routing/plan.ts'
import type { Contender } from './contender.ts'
import type { EndpointCircuits } from './endpoint-circuits.ts'
import { concernOf, isFault, isUnreachable, mayBeOfProvider, mayBeOfRequest, failurePolicyOf } from './failure-policy.ts'
import type { Lane } from './lane.ts'
import type { Slot } from './provider-queue.ts'
import { vendorWord } from './vendor-word.ts'

export interface AttemptParts<C extends Contender = Candidate> {
  readonly candidate: C
  readonly credential: Credential | undefined
  readonly warnings?: readonly Warning[]
  /** The longest output that the provider is asked for. */
  readonly maxOutputTokens?: number | undefined
  /** The answers of that length that the provider is asked for. Default: one. */
  readonly choices?: number | undefined
  /** Pays for the output as it arrives. Absent if all of it is paid for. */
  readonly allowance?: Allowance | undefined
  readonly totalMs: number
  /** For a streamed reply. */
  readonly streamed?: Pick<Timeouts, 'firstEventMs' | 'betweenEventsMs'> | undefined
  readonly lane: Lane
  readonly record: OpenRecord
}

export interface AttemptServices {
  readonly clock: Clock
  readonly metrics: MetricStore
  readonly circuits: EndpointCircuits
}

/** `left`: nobody waits for it any more. `outrun`: another endpoint answered first. */
export type AttemptOutcome = 'ok' | 'left' | 'outrun' | ProviderFailure

/** How long a provider may send more events after its finish. */
const lastMs = 1_000

/** One try at one candidate: its timers, its abort signal, its events, and its measurements. */
export class Attempt<E extends object = GenerationEvent, C extends Contender = Candidate> implements AttemptClock {
  readonly candidate: C
  readonly credential: Credential | undefined
  readonly warnings: Warning[]
  /** The events up to the first semantic one. */
  readonly head: E[] = []
  /** Returns the output that the provider has read and not yielded. */
  withheld: (() => readonly string[]) | undefined
  readonly #parts: AttemptParts<C>
  readonly #services: AttemptServices
  readonly #owner: string
  readonly #controller = new AbortController()
  /** Every pause moves it forward. */
  #start: number
  #pausedAt = 0
  #total: Deadline
  #silence: Deadline | undefined
  #latencyMs: number | undefined
  #feed: EventFeed<E> | undefined
  #inbox: Inbox<E> | undefined
  #leaveWork: ((reason: unknown) => void) | undefined
  #ended = false
  #hasReplied = false
  #isCommitted = false
  #fellSilent = false
  readonly #slot: Slot | undefined
  readonly #onRunAbort = (reason: unknown): void => this.#abort(reason)
  readonly #startedAt: number
  readonly #observed: ObservedAttempt | undefined
  readonly #queuedMs: number
  readonly #waitedMs: number
  #firstEventMs: number | null = null

  /** `owner`: whose request it is. */
  constructor(parts: AttemptParts<C>, services: AttemptServices, owner: string) {
    this.#parts = parts
    this.#services = services
    this.#owner = owner
    this.candidate = parts.candidate
    this.credential = parts.credential
    this.warnings = [...(parts.warnings ?? [])]
    this.#slot = parts.lane.slot
    this.#start = this.#startedAt = services.clock.elapsed()
    const { record, candidate, lane } = parts
    this.#queuedMs = lane.queuedMs
    this.#waitedMs = lane.waitedMs
    lane.queuedMs = lane.waitedMs = 0
    this.#observed = record.observed?.attempt(candidate.endpoint, lane.role, this.#startedAt - record.start, this.#queuedMs)
    this.#total = this.#totalTimer(parts.totalMs)
    this.#silence = this.#silenceTimer()
    parts.lane.run.onAbort(this.#onRunAbort)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The header `traceparent` for the vendor, if an observer follows the attempt. */
  get traceparent(): string | undefined {
    return this.#observed?.traceparent
  }

  /** The output tokens that are paid for. */
  get maxOutputTokens(): number {
    const { maxOutputTokens = Infinity, choices = 1 } = this.#parts
    return Math.min(maxOutputTokens * choices, this.allowance?.paidTokens ?? Infinity)
  }

  /** The most output tokens that a compliant provider can have generated. */
  get outputLimit(): number {
    const { maxOutputTokens, contextWindow } = this.candidate.endpoint
    const { choices = 1 } = this.#parts
    return Math.min(this.#parts.maxOutputTokens ?? Infinity, maxOutputTokens ?? contextWindow ?? Infinity) * choices
  }

  /** The provider was asked for a stream. */
  get isStreamed(): boolean {
    return this.#parts.streamed !== undefined
  }

  get allowance(): Allowance | undefined {
    return this.#parts.allowance
  }

  /** Starts the reply. Calls `count` with each event before anyone else gets it. `count` may throw. */
  begin(events: AsyncIterable<E | readonly E[]>, count?: (event: E) => void): void {
    this.#feed = isFeed(events) ? events : new IteratedFeed(events)
    this.#inbox = new Inbox(this.#feed, count, this.#silence && this.#heard)
    if (this.signal.aborted) this.#inbox.abort(this.signal.reason)
    else this.#feed.deliver(this.#inbox)
  }

  /** The events as they arrive. It fails as soon as the attempt is aborted, even if the provider does not. */
  get inbox(): Inbox<E> {
    return this.#inbox!
  }

  /** The next event after the finish, if it comes within a second. Usually the reply ends there, which gives undefined. */
  async last(): Promise<E | undefined> {
    try {
      return await pTimeout(this.inbox.next(), { milliseconds: lastMs, message: false })
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
      this.#leaveWork = reject
      work.then(resolve, reject)
    })
  }

  /** Call when the first semantic event has arrived. From then on, `betweenEventsMs` applies. */
  commit(): void {
    this.#isCommitted = true
    this.#services.circuits.began(this.candidate.endpoint, this.#start, this.#owner)
    const now = this.#services.clock.elapsed()
    this.#firstEventMs = now - this.#startedAt
    if (!this.#parts.streamed) return
    this.#latencyMs = now - this.#start
    this.#silence?.end()
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
    this.#total.end()
    this.#silence?.end()
    this.#pausedAt = this.#services.clock.elapsed()
  }

  resume(): void {
    if (this.#ended || this.signal.aborted) return
    const now = this.#services.clock.elapsed()
    this.#start += now - this.#pausedAt
    this.#total = this.#totalTimer(Math.max(0, this.#parts.totalMs - (now - this.#start)))
    this.#silence = this.#silenceTimer()
  }

  replied(): void {
    this.#hasReplied = true
  }

  /** The failure of an attempt that has had this long to begin an answer, and has not. */
  overdue(afterMs: number): ProviderFailure | undefined {
    const { provider } = this.#parts.candidate
    if (this.#isCommitted || this.#ended || this.#services.clock.elapsed() - this.#start < afterMs) return undefined
    const message = wording`The provider "${own(provider.id)}" did not answer within the time of the request.`
    return new ProviderFailure({ kind: 'timeout', progress: this.#progress, message })
  }

  /** Ends the attempt by the gateway's own judgment. */
  fail(failure: ProviderFailure): void {
    this.#abort(failure)
  }

  /** Records and measures the attempt. Only the first call counts. `isLost`: the usage is on no bill. */
  end(outcome: AttemptOutcome, usage: TokenUsage = noUsage, isLost = outcome === 'outrun'): void {
    if (this.#ended) return
    this.#ended = true
    this.#total.end()
    this.#silence?.end()
    const { lane, record, candidate } = this.#parts
    const { clock, metrics } = this.#services
    lane.run.offAbort(this.#onRunAbort)
    this.#slot?.release()
    // Also stops a provider that keeps sending after its finish.
    if (outcome !== 'ok' || !this.#inbox?.isOver) this.#abort(new Error('the attempt was given up'))
    const { provider, model, listed, price } = candidate.endpoint
    const now = clock.elapsed()
    const totalMs = now - this.#start
    const failure = typeof outcome === 'string' ? undefined : outcome
    this.#judge(outcome, now)
    const kind = failure?.kind ?? (outcome as string)
    const status = failure?.status ?? null
    const recorded: AttemptDraft = {
      provider,
      model,
      outcome: kind,
      status,
      startedMs: rounded(this.#startedAt - record.start),
      elapsedMs: rounded(totalMs),
    }
    // Assigned one by one: a spread for each takes a microsecond of every request.
    if (this.#firstEventMs !== null) recorded.firstEventMs = rounded(this.#firstEventMs)
    if (this.#queuedMs > 0) recorded.queuedMs = rounded(this.#queuedMs)
    if (this.#waitedMs > 0) recorded.waitedMs = rounded(this.#waitedMs)
    if (failure) addFailure(recorded, failure)
    if (!listed) recorded.listed = listed
    if (isLost) recorded.costUsd = costOf(usage, price)
    record.attempts.push(recorded)
    if (this.#observed) {
      const told = isNoUsage(usage) ? null : usage
      this.#observed.end({ elapsedMs: now - this.#startedAt, firstEventMs: this.#firstEventMs, outcome: kind, status, usage: told })
    }
    // The caller made the model name up: keep it out of the metrics.
    if (failure?.kind === 'not-found' && !listed) return
    const counted = isLost ? noUsage : usage
    metrics.record({
      provider,
      model,
      listed,
      at: clock.now(),
      // One caller's content must not move the requests of others.
      outcome: outcome === 'ok' ? 'ok' : failure && isFault(failure) && !mayBeOfRequest(failure) ? 'fault' : 'neutral',
      latencyMs: this.#latencyMs,
      totalMs,
      inputTokens: counted.uncachedInput + counted.cacheRead + counted.cacheWrite5m + counted.cacheWrite1h,
      outputTokens: counted.output,
    })
  }

  /** Tells the endpoint's circuit. Failures of a credential are not the endpoint's: `Failover` knows whether another one is left. */
  #judge(outcome: AttemptOutcome, now: number): void {
    const { circuits } = this.#services
    const { endpoint } = this.candidate
    if (outcome === 'ok') return circuits.completed(endpoint, this.#start, now, this.#owner)
    const failure = typeof outcome === 'string' ? undefined : outcome
    const policy = failure && failurePolicyOf(failure)
    // An endpoint that is outrun most of the time should not come first.
    const isTooSlow = outcome === 'outrun' && this.#parts.lane.role === 'first'
    const hadBegun = this.#isCommitted
    if (isTooSlow || (failure && isFault(failure) && policy!.coolDownMs === undefined)) circuits.failed(endpoint, this.#start, hadBegun)
    else circuits.abandoned(endpoint, this.#owner)
    if (!failure) return
    const isOfProvider = concernOf(failure) === 'provider'
    const isSuspected = !isOfProvider && isFault(failure) && (mayBeOfProvider(failure) || this.#fellSilent)
    if (!isOfProvider && !isSuspected) return
    circuits.providerFailed(endpoint, this.#start, this.#owner, { isUnreachable: isUnreachable(failure), isSuspected, hadBegun })
  }

  #totalTimer(leftMs: number): Deadline {
    return this.#timer(leftMs, `did not finish within ${this.#parts.totalMs} ms`)
  }

  /** A reply that is not streamed arrives all at once, so only the total time-out applies. */
  #silenceTimer(): Deadline | undefined {
    const { streamed } = this.#parts
    if (!streamed) return undefined
    const { firstEventMs, betweenEventsMs } = streamed
    return this.#latencyMs === undefined
      ? this.#timer(firstEventMs, `sent nothing within ${firstEventMs} ms`, true)
      : this.#timer(betweenEventsMs, `sent nothing for ${betweenEventsMs} ms`, true)
  }

  #timer(afterMs: number, problem: string, isOfSilence = false): Deadline {
    return new Deadline(this.#services.clock, afterMs, () => {
      const { provider } = this.#parts.candidate
      this.#fellSilent = isOfSilence
      const message = wording`The provider "${own(provider.id)}" ${own(problem)}.`
      this.#abort(new ProviderFailure({ kind: 'timeout', progress: this.#progress, message }))
    })
  }

  get #progress(): Progress {
    if (this.head.length > 0 || this.#latencyMs !== undefined) return 'answering'
    return this.#hasReplied ? 'replied' : 'connected'
  }

  /** Once the reply has begun, each sign of life starts the silence anew. */
  readonly #heard = (): void => {
    if (this.#latencyMs !== undefined) this.#silence?.restart()
  }

  #abort(reason: unknown): void {
    if (this.#controller.signal.aborted) return
    this.#controller.abort(reason)
    this.#inbox?.abort(reason)
    this.#leaveWork?.(reason)
    this.#feed?.stop()
  }
}

type AttemptDraft = { -readonly [N in keyof AttemptRecord]: AttemptRecord[N] }

function addFailure(recorded: AttemptDraft, failure: ProviderFailure): void {
  const { isFault: isOwnFault, requestId } = failure
  const vendorCode = vendorWord(failure)
  if (vendorCode !== undefined) recorded.vendorCode = vendorCode
  if (requestId !== undefined) recorded.requestId = requestId
  if (isOwnFault !== undefined) recorded.isFault = isOwnFault
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
