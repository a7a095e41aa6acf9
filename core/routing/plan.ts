import { permitted } from '../admission/permission.ts'
import { wire } from '../framework/container.ts'
import { Catalog, type Endpoint } from '../contracts/catalog.ts'
import type { GuardSession } from '../contracts/guardrail.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Caller } from '../contracts/run-context.ts'
import { policyRefusal } from '../foundation/errors.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import { Settings } from '../framework/settings.ts'
import { candidatesFor } from './candidates.ts'

/** An endpoint and its provider. */
export interface Candidate {
  readonly endpoint: Endpoint
  readonly provider: Provider
}

/** Chooses the endpoints for a request and their order. Synchronous: everything it needs is in memory. */
export class Planner {
  readonly #catalog: Catalog
  readonly #providers: Registry<Provider>
  readonly #settings: Settings

  static {
    wire(this, [Catalog, Providers, Settings])
  }

  constructor(catalog: Catalog, providers: Registry<Provider>, settings: Settings) {
    this.#catalog = catalog
    this.#providers = providers
    this.#settings = settings
  }

  /** Returns at least one candidate. Throws 400, 402, 403, or 422. */
  plan(request: GenerationRequest, caller: Caller, sessions: readonly GuardSession[]): readonly Candidate[] {
    const allowed = permitted(candidatesFor(request, this.#catalog, this.#providers), caller.key)
    const cleared = clear(allowed, request, sessions)
    return cleared.slice(0, this.#settings.maxAttempts).map(endpoint => ({ endpoint, provider: this.#providers.get(endpoint.provider)! }))
  }
}

function clear(endpoints: readonly Endpoint[], request: GenerationRequest, sessions: readonly GuardSession[]): readonly Endpoint[] {
  let left = endpoints
  for (const session of sessions) {
    if (!session.route) continue
    left = left.filter(endpoint => session.route!(endpoint, request))
    if (left.length === 0) throw session.refusal?.() ?? policyRefusal('The policy of this API key leaves no provider for this model.')
  }
  return left
}
