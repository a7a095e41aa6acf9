import { CircuitState, CountBreaker, ExponentialBackoff, noJitterGenerator, type IBackoff } from 'cockatiel'
import type { CircuitView } from '../../contracts/circuits.ts'

/** The circuit opens when more than half of the latest attempts failed. */
const trip = { threshold: 0.5, size: 20, minimumNumberOfCalls: 5 }
/** How long it stays open: this, and twice as long each time that it opens again. */
const pauses = new ExponentialBackoff({ initialDelay: 5_000, maxDelay: 60_000, exponent: 2, generator: noJitterGenerator })
/** A vendor that asks for a longer pause gets a request after this time anyway. */
const maxPauseMs = 300_000
/** Older failures say nothing about the present. */
const forgetAfterMs = 60_000
/** A probe without an outcome for this long no longer keeps others from trying. */
const probeMs = 10_000

/** Decides when a circuit opens. `failure` returns true if it should. The states are those of cockatiel. */
export interface Breaker {
  success(state: number): void
  failure(state: number): boolean
}

/**
 * The circuit breaker of one endpoint. Its rules are cockatiel's; the states are here, because cockatiel's policies read the system's clock
 * and wrap each call in promises. All times are in milliseconds on one clock.
 */
export class Circuit {
  readonly #makeBreaker: () => Breaker
  #breaker: Breaker
  #pause: IBackoff<unknown> = pauses.next()
  #isClosed = true
  #openedAt = -Infinity
  #openUntil = -Infinity
  #probedAt = -Infinity
  #failedAt = -Infinity
  #answersInRow = 0
  #failingSince: number | undefined
  /** The failure that opened it was in the middle of an answer, so that only a complete one shows that all is well. */
  #needsEnd = false

  constructor(makeBreaker: () => Breaker = () => new CountBreaker(trip)) {
    this.#makeBreaker = makeBreaker
    this.#breaker = makeBreaker()
  }

  /** True until the pause is over, and while a probe is under way. */
  isOpen(now: number): boolean {
    return this.isResting(now) || (!this.#isClosed && now - this.#probedAt < probeMs)
  }

  /** True until the pause is over. */
  isResting(now: number): boolean {
    return !this.#isClosed && now < this.#openUntil
  }

  /** True if a request may be sent now. If the pause is over, it is the probe, and all others have to wait for its outcome. */
  admits(now: number): boolean {
    if (this.isOpen(now)) return false
    if (!this.#isClosed) this.#probedAt = now
    return true
  }

  /**
   * Call when an attempt failed by the endpoint's fault. `hadBegun`: in the middle of an answer. Returns how long the circuit stays open if it
   * opens now.
   */
  failed(startedAt: number, now: number, hadBegun = false): number | undefined {
    if (this.#isClosed && now - this.#failedAt > forgetAfterMs) this.#breaker = this.#makeBreaker()
    this.#failedAt = now
    this.#answersInRow = 0
    if (this.#isClosed) return this.#breaker.failure(CircuitState.Closed) ? this.#open(now, hadBegun) : undefined
    // The rest of what was under way when the circuit opened says nothing new, and neither do requests that had nowhere else to go.
    return startedAt < this.#openedAt || now < this.#openUntil ? undefined : this.#open(now, hadBegun)
  }

  /** Call when an answer has begun. Returns true if that closes the circuit. */
  began(startedAt: number): boolean {
    return !this.#needsEnd && this.#close(startedAt)
  }

  /** Call when an answer is complete. Returns true if that closes the circuit. */
  completed(startedAt: number): boolean {
    if (!this.#isClosed) return this.#close(startedAt)
    this.#answersInRow++
    this.#breaker.success(CircuitState.Closed)
    return false
  }

  /** Call when an attempt ended without a verdict, so that another request can be the probe. */
  abandoned(): void {
    this.#probedAt = -Infinity
  }

  /** Opens the circuit for at least this long. */
  rest(ms: number, now: number): void {
    if (this.#isClosed) this.#openedAt = now
    this.#isClosed = false
    this.#probedAt = -Infinity
    this.#answersInRow = 0
    this.#openUntil = Math.max(this.#openUntil, now + Math.min(ms, maxPauseMs))
  }

  /** Opens it for this long, because another gateway opened its own. */
  openedElsewhere(forMs: number, now: number, needsEnd: boolean): void {
    this.#needsEnd ||= needsEnd
    this.rest(forMs, now)
  }

  /** Another gateway got an answer. Returns true if nothing of this circuit needs to be remembered. */
  closedElsewhere(): boolean {
    this.#close(Infinity)
    return this.#failedAt === -Infinity
  }

  /** When failures seen here opened it. Undefined while it is closed, or open only because a vendor or another gateway asked for it. */
  get failingSince(): number | undefined {
    return this.#failingSince
  }

  get failedAt(): number {
    return this.#failedAt
  }

  /** Only a complete answer closes it. */
  get needsEnd(): boolean {
    return this.#needsEnd
  }

  /** Nothing of it needs to be remembered. */
  get isHealthy(): boolean {
    return this.#isClosed && this.#answersInRow >= trip.size
  }

  view(now: number): Pick<CircuitView, 'state' | 'openForMs'> {
    if (this.#isClosed) return { state: 'closed', openForMs: 0 }
    const openForMs = Math.max(0, Math.ceil(this.#openUntil - now))
    return { state: openForMs > 0 ? 'open' : 'half-open', openForMs }
  }

  #close(startedAt: number): boolean {
    if (this.#isClosed || startedAt < this.#openedAt) return false
    this.#breaker.success(CircuitState.HalfOpen)
    this.#isClosed = true
    this.#failingSince = undefined
    this.#openUntil = -Infinity
    this.#needsEnd = false
    return true
  }

  #open(now: number, hadBegun: boolean): number {
    this.#needsEnd = hadBegun
    this.#failingSince ??= now
    const { duration } = this.#pause
    this.#pause = this.#pause.next(undefined)
    this.#isClosed = false
    this.#openedAt = now
    this.#openUntil = Math.max(this.#openUntil, now + duration)
    this.#probedAt = -Infinity
    return this.#openUntil - now
  }
}
