import { permitted } from '../admission/permission.ts'
import { wire } from '../framework/container.ts'
import { Catalog, type Endpoint } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import { Settings } from '../framework/settings.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import { clearedEndpoints } from '../guards/route-guards.ts'
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

  /** Returns at least one candidate. Throws 400, 402, 403, 422, or 503. */
  plan(request: GenerationRequest, context: RunContext, guards: readonly OpenGuard[]): readonly Candidate[] {
    const allowed = permitted(candidatesFor(request, this.#catalog, this.#providers), context.caller.key)
    const cleared = clearedEndpoints(allowed, request, guards, context)
    return cleared.slice(0, this.#settings.maxAttempts).map(endpoint => ({ endpoint, provider: this.#providers.get(endpoint.provider)! }))
  }
}
