import { costOf } from '../billing/cost.ts'
import type { BegunAttempt, EndedAttempt, ObservedAttempt } from '../contracts/call-observer.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { Observing, StartedAttempt } from './loaded-observer.ts'

/** An attempt that observers follow. Small, because every request has one. */
export class FollowedAttempt implements ObservedAttempt {
  traceparent: string | undefined
  readonly #observing: readonly Observing[]
  readonly #started: (StartedAttempt | undefined)[] = []
  readonly #price: Endpoint['price']
  readonly #queuedMs: number

  constructor(observing: readonly Observing[], begun: BegunAttempt, price: Endpoint['price'], queuedMs: number) {
    this.#observing = observing
    this.#price = price
    this.#queuedMs = queuedMs
    for (const { by, observation } of observing) this.#started.push(by.startsAttempt(observation, begun, this))
  }

  end({ elapsedMs, firstEventMs, outcome, status, usage }: Parameters<ObservedAttempt['end']>[0]): void {
    const queuedMs = this.#queuedMs
    const costUsd = usage && costOf(usage, this.#price)
    const ended: EndedAttempt = Object.freeze({ elapsedMs, firstEventMs, outcome, queuedMs, status, usage, costUsd })
    this.#observing.forEach(({ by }, index) => {
      const started = this.#started[index]
      if (started) by.endsAttempt(started, ended)
    })
  }
}
