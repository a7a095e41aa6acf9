import type {
  AttemptRole,
  CallObservation,
  CallObserver,
  EndedCall,
  EndedTool,
  EndedToolRound,
  GuardLook,
  ObservedAttempt,
  ObservedCall,
  TraceContext,
} from '../contracts/call-observer.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { OpenRecord } from '../contracts/log-sink.ts'
import type { Clock } from '../foundation/clock.ts'
import type { GatewayError } from '../foundation/errors.ts'
import { FollowedAttempt } from './followed-attempt.ts'
import type { Observing } from './loaded-observer.ts'
import { shownModel } from './shown-model.ts'

export interface ObservedParts {
  readonly record: OpenRecord
  readonly trace: TraceContext | null
  readonly clock: Clock
  /** The policy's `logging` is on. */
  readonly showsNames: boolean
}

/** A call that observers follow. */
export class Observed implements ObservedCall {
  readonly trace: TraceContext | null
  readonly #observing: readonly Observing[]
  readonly #record: OpenRecord
  readonly #clock: Clock
  readonly #showsNames: boolean

  constructor(observing: readonly Observing[], { record, trace, clock, showsNames }: ObservedParts) {
    this.#observing = observing
    this.trace = trace
    this.#record = record
    this.#clock = clock
    this.#showsNames = showsNames
  }

  observationBy(observer: CallObserver): CallObservation | undefined {
    for (const { by, observation } of this.#observing) if (by.observer === observer) return observation
    return undefined
  }

  attempt(endpoint: Endpoint, role: AttemptRole, startedMs: number, queuedMs: number): ObservedAttempt {
    const { provider, model, listed, price } = endpoint
    const begun = Object.freeze({
      at: this.#record.at + startedMs,
      provider,
      model: this.#showsNames || listed ? model : null,
      isListed: listed,
      role,
    })
    return new FollowedAttempt(this.#observing, begun, price, queuedMs)
  }

  toolRound(tools: Readonly<Record<string, number>>): (failed: number) => void {
    const { at, start } = this.now()
    const begun = Object.freeze({ at, tools: Object.freeze(tools) })
    const ends = this.#start<EndedToolRound>('toolRound', observation => observation.toolRound?.(begun))
    return failed => ends({ elapsedMs: this.#clock.elapsed() - start, failed })
  }

  async tool<Result extends { readonly failed?: boolean }>(type: string, run: () => Promise<Result>): Promise<Result> {
    const { at, start } = this.now()
    const begun = Object.freeze({ at, type })
    const ends = this.#start<EndedTool>('tool', observation => observation.tool?.(begun))
    let isFailed = true
    try {
      const result = await run()
      isFailed = result.failed === true
      return result
    } finally {
      ends({ elapsedMs: this.#clock.elapsed() - start, isFailed })
    }
  }

  /** Returns what to call when the endpoints are chosen. Undefined if nobody wants to know. */
  plans(): ((candidates: number) => void) | undefined {
    if (!this.#isHeard('planned')) return undefined
    const start = this.#clock.elapsed()
    return candidates => {
      const { at, start: arrived, routing } = this.#record
      const plan = Object.freeze({
        at: at + start - arrived,
        elapsedMs: this.#clock.elapsed() - start,
        candidates,
        sort: routing?.sort ?? null,
      })
      for (const { by, observation } of this.#observing) by.tells('planned', () => observation.planned?.(plan))
    }
  }

  looked(look: GuardLook): void {
    Object.freeze(look)
    for (const { by, observation } of this.#observing) by.tells('guarded', () => observation.guarded?.(look))
  }

  /** The record has the usage and the cost. */
  end(error: GatewayError | undefined): void {
    if (!this.#isHeard('end')) return
    const { usage, costUsd, notes, attempts } = this.#record
    const { provider, model } = this.#record.model === null ? (attempts.at(-1) ?? none) : this.#record
    const asked = shownModel({ provider, model, attempts }, this.#showsNames)
    const ended: EndedCall = Object.freeze({
      elapsedMs: this.#clock.elapsed() - this.#record.start,
      outcome: error === undefined ? 'ok' : error.status === 499 ? 'left' : 'failed',
      status: error?.status ?? 200,
      errorCode: error?.code ?? null,
      reason: error?.reason ?? null,
      firstEventMs: this.#record.firstEventMs,
      provider,
      ...asked,
      answeredBy: (notes.find(({ kind }) => kind === 'answered-by')?.summary['name'] as string | undefined) ?? null,
      attempts: attempts.length,
      usage,
      costUsd,
    })
    for (const { by, observation } of this.#observing) by.tells('end', () => observation.end?.(ended))
  }

  now(): { readonly at: number; readonly start: number } {
    const start = this.#clock.elapsed()
    return { start, at: this.#record.at + start - this.#record.start }
  }

  #isHeard(hook: keyof CallObservation): boolean {
    for (const { by, observation } of this.#observing) if (by.hears(observation, hook)) return true
    return false
  }

  #start<Ended extends object>(hook: 'toolRound' | 'tool', start: (observation: CallObservation) => unknown): (ended: Ended) => void {
    const ends = this.#observing.map(({ by, observation }) => ({ by, end: by.starts<Ended>(hook, () => start(observation)) }))
    return ended => {
      Object.freeze(ended)
      for (const { by, end } of ends) if (end) by.tells(hook, () => end(ended))
    }
  }
}

const none = { provider: null, model: null }
