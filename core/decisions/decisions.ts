import { PolicyResolver } from '../admission/policy.ts'
import { RequestLimits } from '../limits/request-limits.ts'
import { Reservations } from '../limits/reservations.ts'
import { UnreportedUsage } from '../billing/unreported-usage.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import type { Decided, DecisionRequest } from '../contracts/decision.ts'
import { loadedGuards, type LoadedGuard } from '../guards/input-guards.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { Clock } from '../foundation/clock.ts'
import { GatewayError } from '../foundation/errors.ts'
import { Guardrails } from '../framework/extension-points.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { LiveOperations } from '../call/live-operations.ts'
import { Settings } from '../framework/settings.ts'
import { DecisionAttempts } from './attempts.ts'
import { Decision } from './decision.ts'
import { DecisionNames } from './names.ts'
import { TokenLimits } from './token-limits.ts'

const dependencies = {
  policies: PolicyResolver,
  guardrails: Guardrails,
  limits: TokenLimits,
  names: DecisionNames,
  reservations: Reservations,
  requestLimits: RequestLimits,
  attempts: DecisionAttempts,
  unreported: UnreportedUsage,
  settings: Settings,
  clock: Clock,
  live: LiveOperations,
}

/** The services that every decision uses. */
export interface DecisionServices extends Omit<Dependencies<typeof dependencies>, 'guardrails' | 'live'> {
  readonly guardrails: readonly LoadedGuard[]
}

/** Answers decisions: docs/protocol/decisions.md#decisions. */
export class Decisions {
  readonly #services: DecisionServices
  readonly #live: LiveOperations

  static {
    wire(this, dependencies)
  }

  constructor({ guardrails, live, ...services }: Dependencies<typeof dependencies>) {
    this.#live = live
    this.#services = { ...services, guardrails: loadedGuards(guardrails) }
  }

  async decide(scope: RequestScope, request: DecisionRequest, bodyBytes?: number): Promise<Decided> {
    const result = await this.#live.track(scope, () => new Decision(this.#services, scope, freezeDeeply(request), bodyBytes).go())
    if (result instanceof GatewayError) throw result
    return result
  }
}
