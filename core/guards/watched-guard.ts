import type { GuardLook, ObservedCall } from '../contracts/call-observer.ts'

/** Tells observers of one guardrail in one call: once of the input, and once of the answer. */
export class WatchedGuard {
  readonly #guardrail: string
  readonly #observed: ObservedCall
  #stage: GuardLook['stage'] | undefined
  #firstAt = 0
  #spentMs = 0
  /** Set while it looks. */
  #start: number | undefined
  #outcome: GuardLook['outcome'] | undefined

  constructor(guardrail: string, observed: ObservedCall) {
    this.#guardrail = guardrail
    this.#observed = observed
  }

  /** The guardrail begins to look. */
  begins(stage: GuardLook['stage']): void {
    const { at, start } = this.#observed.now()
    if (this.#stage !== stage) {
      this.#stage = stage
      this.#firstAt = at
      this.#spentMs = 0
      this.#outcome = undefined
    }
    this.#start = start
  }

  /** It has looked. */
  ends(isChanged: boolean): void {
    this.#rests()
    if (isChanged && this.#outcome !== 'failed') this.#outcome = 'changed'
    else this.#outcome ??= 'passed'
  }

  refused(): void {
    this.#over('refused')
  }

  failed(): void {
    this.#over('failed')
  }

  /** Call when the guardrail has seen the whole input, or the whole answer. */
  tells(): void {
    if (this.#stage !== undefined && this.#outcome !== undefined) {
      const look = { at: this.#firstAt, elapsedMs: this.#spentMs, guardrail: this.#guardrail, stage: this.#stage, outcome: this.#outcome }
      this.#observed.looked(look)
    }
    this.#stage = undefined
  }

  /** Call when the answer breaks off: then it counts only that the guardrail was why. */
  breaksOff(): void {
    if (this.#outcome === 'refused' || this.#outcome === 'failed') this.tells()
  }

  /** Between its looks, a guardrail opens its session and chooses endpoints. */
  #over(outcome: 'refused' | 'failed'): void {
    const isLooking = this.#stage !== undefined
    if (!isLooking) this.begins('input')
    this.#rests()
    this.#outcome = outcome
    if (!isLooking) this.tells()
  }

  #rests(): void {
    if (this.#start !== undefined) this.#spentMs += this.#observed.now().start - this.#start
    this.#start = undefined
  }
}
