import { costOf } from '../billing/cost.ts'
import type { AttemptRole, CallObservation, EndedAttempt, EndedCall, EndedToolRound, ObservedCall } from '../contracts/call-observer.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { OpenRecord } from '../contracts/log-sink.ts'
import type { Clock } from '../foundation/clock.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { LoadedObserver } from './loaded-observer.ts'

export interface Observing {
  readonly by: LoadedObserver
  readonly observation: CallObservation
}

/** A call that observers follow. */
export class Observed implements ObservedCall {
  readonly #observing: readonly Observing[]
  readonly #record: OpenRecord
  readonly #clock: Clock
  /** The policy's `logging` is on. */
  readonly #showsNames: boolean

  constructor(observing: readonly Observing[], record: OpenRecord, clock: Clock, showsNames: boolean) {
    this.#observing = observing
    this.#record = record
    this.#clock = clock
    this.#showsNames = showsNames
  }

  attempt(endpoint: Endpoint, role: AttemptRole, startedMs: number): (ended: Omit<EndedAttempt, 'costUsd'>) => void {
    const { provider, model, listed, price } = endpoint
    const begun = Object.freeze({
      at: this.#record.at + startedMs,
      provider,
      model: this.#showsNames || listed ? model : null,
      role,
    })
    const ends = this.#start<EndedAttempt>('attempt', observation => observation.attempt?.(begun))
    return ended => ends({ ...ended, costUsd: ended.usage && costOf(ended.usage, price) })
  }

  toolRound(tools: Readonly<Record<string, number>>): (failed: number) => void {
    const start = this.#clock.elapsed()
    const begun = Object.freeze({ at: this.#record.at + start - this.#record.start, tools: Object.freeze(tools) })
    const ends = this.#start<EndedToolRound>('toolRound', observation => observation.toolRound?.(begun))
    return failed => ends({ elapsedMs: this.#clock.elapsed() - start, failed })
  }

  /** The record has the usage and the cost. */
  end(error: GatewayError | undefined): void {
    const { usage, costUsd, notes, attempts } = this.#record
    const last = attempts.at(-1)
    const { provider, model } = this.#record.model === null ? (last ?? none) : this.#record
    const isMadeUp = attempts.some(attempt => attempt.provider === provider && attempt.model === model && attempt.listed === false)
    const ended: EndedCall = Object.freeze({
      elapsedMs: this.#clock.elapsed() - this.#record.start,
      outcome: error === undefined ? 'ok' : error.status === 499 ? 'left' : 'failed',
      status: error?.status ?? 200,
      errorCode: error?.code ?? null,
      provider,
      model: this.#showsNames || !isMadeUp ? model : null,
      answeredBy: (notes.find(({ kind }) => kind === 'answered-by')?.summary['name'] as string | undefined) ?? null,
      attempts: attempts.length,
      usage,
      costUsd,
    })
    for (const { by, observation } of this.#observing) by.ends('end', () => observation.end?.(ended))
  }

  #start<Ended extends object>(hook: 'attempt' | 'toolRound', start: (observation: CallObservation) => unknown): (ended: Ended) => void {
    const ends = this.#observing.map(({ by, observation }) => ({ by, end: by.starts<Ended>(hook, () => start(observation)) }))
    return ended => {
      Object.freeze(ended)
      for (const { by, end } of ends) if (end) by.ends(hook, () => end(ended))
    }
  }
}

const none = { provider: null, model: null }
