import type { TokenUsage } from '../../contracts/events.ts'
import type { Cancellation } from '../../runtime/cancellation.ts'
import type { Line } from './line.ts'
import type { Slot } from './provider-queue.ts'

/** `hedge`: started later, when the `first` lane of a hedged request had no answer yet. It neither waits nor repeats anything. */
export type LaneRole = 'only' | 'first' | 'hedge'

/** An attempt under way. */
interface Running {
  end(outcome: 'outrun' | 'left', usage?: TokenUsage): void
}

interface Losses<A> {
  /** Estimates what an attempt has used if it is outrun. */
  lossOf?(attempt: A): TokenUsage
}

/** One try after another, until an endpoint answers. A request has one lane; a hedged request has two, which race. */
export class Lane {
  readonly role: LaneRole
  /** Aborts the lane. */
  readonly run: Cancellation
  readonly line: Line
  /** Both lanes are under way. The caller then pays for the answer alone. */
  isRacing: boolean
  /** The request itself is wrong: no other endpoint would answer it. */
  isRefused = false
  /** For the next attempt. */
  slot: Slot | undefined
  /** How long the next attempt has waited for its place at the provider, and after a failure. */
  queuedMs = 0
  waitedMs = 0
  #attempt: Running | undefined
  #losses: Losses<any> | undefined

  constructor(role: LaneRole, run: Cancellation, line: Line) {
    this.role = role
    this.run = run
    this.line = line
    this.isRacing = role === 'hedge'
  }

  /** Call when an attempt begins. */
  tries<A extends Running>(attempt: A, losses: Losses<A>): void {
    this.queuedMs = 0
    this.#attempt = attempt
    this.#losses = losses
  }

  /** Ends the lane because the other one has won, or because nobody waits for an answer any more. */
  giveUp(outcome: 'outrun' | 'left'): void {
    const attempt = this.#attempt
    attempt?.end(outcome, outcome === 'outrun' ? this.#losses?.lossOf?.(attempt) : undefined)
    this.run.abort(new Error('another endpoint answered first'))
  }
}
