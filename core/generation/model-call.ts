import type { Bill } from '../billing/cost.ts'
import type { Reservation } from '../limits/reservation.ts'
import { Reservations } from '../limits/reservations.ts'
import { needOf } from '../billing/token-need.ts'
import { UnreportedUsage } from '../billing/unreported-usage.ts'
import type { UsualOutput } from '../limits/usual-output.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Candidate } from '../routing/plan.ts'
import { passOver } from '../routing/routing-record.ts'
import { Attempts, type AnswerSurroundings } from './attempts.ts'
import { showsProgress } from './lowering/progress.ts'
import { Reply } from './reply.ts'
import type { Said } from './said.ts'

const dependencies = { reservations: Reservations, attempts: Attempts, unreported: UnreportedUsage, providers: Providers }

/** Takes the bill of model calls, and settles what is held for them. */
export interface Payer {
  readonly bill: Bill
  hold(reservation: Reservation): void
  /** Waits for the promise before the bill is settled. */
  owe<T>(adding: Promise<T>): Promise<T>
}

/** Whom a model call is for. */
export interface CallScope {
  /** Pays for the call: the operation, or one call of it that is settled alone. */
  readonly operation: Payer
  /** The operation's own, or that of a part which can be aborted alone. */
  readonly context: RunContext
  readonly surroundings: AnswerSurroundings
  /** The answer so far. Replies are written to it as they are taken. */
  readonly said: Said
  /** If what its replies may cost is used up, the answer may end early. */
  readonly mayEndEarly?: boolean
}

/** Calls models: for a generation, and for every question that a decision asks a model. */
export class ModelCalls {
  readonly #services: Dependencies<typeof dependencies>

  static {
    wire(this, dependencies)
  }

  constructor(services: Dependencies<typeof dependencies>) {
    this.#services = services
  }

  /** Reserves tokens and credit, at once if the key has no limits. Throws 402 and 429. */
  reserve(request: GenerationRequest, candidates: readonly Candidate[], scope: CallScope): Maybe<ModelCall> {
    const { reservations } = this.#services
    const canGrow = (candidate: Candidate): boolean => scope.mayEndEarly === true && canGrowAt(candidate, request, reservations.usual)
    const reserving = reservations.reserve(scope.context, () => needOf(request), candidates, canGrow)
    if (!reserving) return new ModelCall(this.#services, scope, candidates, undefined)
    return reserving.then(reservation => {
      scope.operation.hold(reservation)
      const affordable = reservation.affordable(candidates)
      if (affordable.length < candidates.length)
        for (const each of candidates) if (!affordable.includes(each)) passOver(scope.surroundings.record, each.endpoint, 'credit')
      return new ModelCall(this.#services, scope, affordable, reservation)
    })
  }
}

/** True if the endpoint shows what it generates: it says so, or it always did. */
function canGrowAt(candidate: Candidate, request: GenerationRequest, usual: UsualOutput): boolean {
  const shows = showsProgress(request, candidate)
  return shows !== false && (usual.shows(candidate.endpoint) ?? shows ?? false)
}

type CallServices = Dependencies<typeof dependencies>

/** One call: a reply or, where the provider pauses, several rounds of replies. */
export class ModelCall {
  /** The endpoints that the reservation covers. */
  readonly candidates: readonly Candidate[]
  readonly #services: CallServices
  readonly #scope: CallScope
  readonly #reservation: Reservation | undefined

  constructor(services: CallServices, scope: CallScope, candidates: readonly Candidate[], reservation: Reservation | undefined) {
    this.#services = services
    this.#scope = scope
    this.candidates = candidates
    this.#reservation = reservation
  }

  /** Asks the candidates in order until one begins to answer. Throws the public error of the last failure, or 402. */
  open(request: GenerationRequest, candidates: readonly Candidate[] = this.candidates): Promise<Reply> {
    const { attempts, unreported, reservations, providers } = this.#services
    const { context, surroundings, mayEndEarly } = this.#scope
    const reservation = this.#reservation
    // Freezing a long conversation takes a quarter of the gateway's time for it, so only what others get is frozen.
    if ((candidates.length > 1 || context.caller.policy.logging.value) && !Object.isFrozen(request)) freezeDeeply(request)
    const canGrow = (candidate: Candidate): boolean => mayEndEarly === true && canGrowAt(candidate, request, reservations.usual)
    const opening = attempts.open(candidates, { request, context, surroundings, reservation, canGrow })
    return opening.then(
      attempt => new Reply({ attempt, request, scope: this.#scope, failover: attempts.failover, providers, unreported, reservation }),
    )
  }

  /** Call when a round is over: `costUsd` is what it cost, null if unknown. */
  roundOver(costUsd: number | null): void {
    this.#reservation?.roundOver(costUsd)
  }

  /** Holds the cost of work between rounds. False if the credit does not cover it. */
  async spend(usd: number): Promise<boolean> {
    return this.#reservation ? await this.#reservation.spend(usd) : true
  }

  giveBack(usd: number): void {
    this.#reservation?.giveBack(usd)
  }

  /** Call before another round. */
  nextRound(request: GenerationRequest): void {
    this.#reservation?.nextRound(() => needOf(request))
  }
}
