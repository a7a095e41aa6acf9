import { UnreportedUsage } from '../billing/unreported-usage.ts'
import { Calls } from '../call/calls.ts'
import type { Decided, DecisionRequest } from '../contracts/decision.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { GatewayError } from '../foundation/errors.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Settings } from '../framework/settings.ts'
import { Reservations } from '../limits/reservations.ts'
import { allowedHosts, type AllowedHosts } from '../upstream/media/media-address.ts'
import { DecisionAttempts } from './attempts.ts'
import { Decision } from './decision.ts'
import { DecisionFit } from './fit.ts'
import { DecisionNames } from './names.ts'
import { TokenLimits } from './token-limits.ts'

const dependencies = {
  calls: Calls,
  limits: TokenLimits,
  names: DecisionNames,
  reservations: Reservations,
  attempts: DecisionAttempts,
  unreported: UnreportedUsage,
  fit: DecisionFit,
  settings: Settings,
}

/** The services that every decision uses. */
export interface DecisionServices extends Omit<Dependencies<typeof dependencies>, 'settings'> {
  readonly mediaHosts: AllowedHosts
}

/** Answers decisions: docs/protocol/decisions.md#decisions. */
export class Decisions {
  readonly #services: DecisionServices

  static {
    wire(this, dependencies)
  }

  constructor({ settings, ...services }: Dependencies<typeof dependencies>) {
    this.#services = { ...services, mediaHosts: allowedHosts(settings.mediaHosts) }
  }

  async decide(scope: RequestScope, request: DecisionRequest, bodyBytes?: number): Promise<Decided> {
    const decision = new Decision(this.#services, scope, freezeDeeply(request), bodyBytes)
    const result = await this.#services.calls.run(scope, decision)
    if (result instanceof GatewayError) throw result
    return result
  }
}
