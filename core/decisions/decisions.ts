import { PolicyResolver } from '../admission/policy.ts'
import { Reservations } from '../billing/reservations.ts'
import { wire } from '../framework/container.ts'
import type { Decided, DecisionRequest } from '../contracts/decision.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import { loadedGuards, type LoadedGuard } from '../guards/input-guards.ts'
import { GatewayError } from '../foundation/errors.ts'
import { Guardrails } from '../framework/extension-points.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { LiveOperations } from '../operation/live-operations.ts'
import type { Registry } from '../framework/registry.ts'
import { Settings } from '../framework/settings.ts'
import { DecisionAttempts } from './attempts.ts'
import { Decision } from './decision.ts'
import { DecisionNames } from './names.ts'
import { TokenLimits } from './token-limits.ts'

/** What every decision works with. */
export interface DecisionServices {
  readonly policies: PolicyResolver
  readonly guardrails: readonly LoadedGuard[]
  readonly limits: TokenLimits
  readonly names: DecisionNames
  readonly reservations: Reservations
  readonly attempts: DecisionAttempts
  readonly settings: Settings
}

/** Answers decisions: docs/protocol/decisions.md#decisions. */
export class Decisions {
  readonly #services: DecisionServices
  readonly #live: LiveOperations

  static {
    wire(this, [PolicyResolver, Guardrails, TokenLimits, DecisionNames, Reservations, DecisionAttempts, Settings, LiveOperations])
  }

  constructor(
    policies: PolicyResolver,
    guardrails: Registry<Guardrail>,
    limits: TokenLimits,
    names: DecisionNames,
    reservations: Reservations,
    attempts: DecisionAttempts,
    settings: Settings,
    live: LiveOperations,
  ) {
    this.#services = { policies, guardrails: loadedGuards(guardrails), limits, names, reservations, attempts, settings }
    this.#live = live
  }

  async decide(scope: RequestScope, request: DecisionRequest, bodyBytes?: number): Promise<Decided> {
    const result = await this.#live.track(scope, () => new Decision(this.#services, scope, request, bodyBytes).go())
    if (result instanceof GatewayError) throw result
    return result
  }
}
