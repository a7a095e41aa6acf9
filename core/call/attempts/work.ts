import type { TokenUsage } from '../../contracts/events.ts'
import type { PassedOver } from '../../contracts/log-sink.ts'
import type { Credential, ProviderFailure } from '../../contracts/provider.ts'
import type { GatewayError } from '../../foundation/errors.ts'
import type { Reservation } from '../../limits/reservation.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { Attempt } from './attempt.ts'
import type { Contender } from './contender.ts'
import type { Lane } from './lane.ts'

/** The credit that is left does not cover the contender. `error` is the 402. */
export class Uncovered {
  readonly error: GatewayError

  constructor(error: GatewayError) {
    this.error = error
  }
}

/** The parts of an operation that are particular to one request. */
export interface Work<C extends Contender, R> {
  /** Returns the failure of an attempt that is worth another one. Throws what ends the request. */
  attempt(contender: C, credential: Credential | undefined, lane: Lane): Maybe<R | ProviderFailure | Uncovered>
  sorted?(inTurn: Credentialed, contender: C): Credentialed
  /** Told of contenders that were not asked although it was their turn. */
  passedOver?(contender: C, why: PassedOver): void
  /** When to ask a second contender, if the first one has not answered; undefined: never. */
  readonly hedgeAfterMs?: number | undefined
  /** Default: the setting of the same name. */
  readonly maxAttempts?: number | undefined
}

/** The parts of an operation that are particular to one attempt. */
export interface AttemptWork<E extends object, C extends Contender, R> {
  readonly reservation: Reservation | undefined
  /** Asks the provider. Throws `ProviderFailure`. */
  run(attempt: Attempt<E, C>): Maybe<R>
  /** The usage that a failed attempt is known to have had. */
  usageOf?(attempt: Attempt<E, C>): TokenUsage | undefined
  /** The usage that a vendor may bill for an attempt that was outrun. */
  lossOf?(attempt: Attempt<E, C>): TokenUsage
}

export type Credentialed = readonly (Credential | undefined)[]
