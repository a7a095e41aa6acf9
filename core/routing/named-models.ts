import type { Catalog, Endpoint } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RetrievalKind } from '../contracts/retrieval.ts'
import { GatewayError, invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import type { Registry } from '../framework/registry.ts'
import { endpointsFor, endpointsOf, listOfModels, requestedOf } from './model-name.ts'

/** The meaning of one model name in a request. */
export interface NamedModel {
  /** `auto`: any model. */
  readonly isAuto: boolean
  /** In the order of the catalog, all endpoints of a model together. */
  readonly endpoints: readonly Endpoint[]
  /** Endpoints at the providers that the caller named, in that order, after the first endpoint. */
  readonly fallbacks: readonly Endpoint[]
}

const none: readonly Endpoint[] = []

/** The models that a request names, in their order: docs/protocol/routing.md#fallbacks. Throws a 400 for a name that is unknown. */
export function namedModels(
  request: GenerationRequest,
  catalog: Catalog,
  providers: Registry<Provider>,
  kind?: RetrievalKind,
): readonly NamedModel[] {
  const { model, routing } = request
  const names = new Names(request, catalog, providers, kind)
  const primary = names.model(model, 'model')
  if (primary.endpoints.length === 0) throw noneForAuto()
  const fallbacks = routing?.model?.fallbacks
  if (!fallbacks || fallbacks.length === 0) return [primary]
  const named = fallbacks.flatMap((name, index) => (name === 'auto' ? [] : names.model(name, `routing.model.fallbacks[${index}]`)))
  // `auto` comes last, and may add no model.
  return fallbacks.includes('auto') ? [primary, ...named, names.model('auto', 'routing.model.fallbacks')] : [primary, ...named]
}

class Names {
  readonly #fallbacks: readonly string[]
  readonly #catalog: Catalog
  readonly #providers: Registry<Provider>
  readonly #kind: RetrievalKind | undefined

  constructor({ routing }: GenerationRequest, catalog: Catalog, providers: Registry<Provider>, kind: RetrievalKind | undefined) {
    this.#kind = kind
    this.#fallbacks = routing?.provider?.fallbacks ?? []
    this.#catalog = catalog
    this.#providers = providers
    this.#fallbacks.forEach((id, index) => {
      if (!providers.get(id)) throw unknownProvider(id, index, catalog, providers)
    })
  }

  model(name: string, param: string): NamedModel {
    const isAuto = name === 'auto'
    const endpoints = endpointsOf(name, param, this.#catalog, this.#providers, this.#kind)
    return { isAuto, endpoints, fallbacks: isAuto || this.#fallbacks.length === 0 ? none : this.#elsewhere(endpoints[0]!) }
  }

  /** The same model at the providers that the caller named. Those that do not have it are left out. */
  #elsewhere({ model: name, listed }: Endpoint): readonly Endpoint[] {
    const model = this.#catalog.resolve(name)
    const everywhere = model ? endpointsFor(model, this.#kind) : none
    return this.#fallbacks.flatMap(
      id => everywhere.find(({ provider }) => provider === id) ?? (listed ? [] : this.#unlisted(this.#providers.get(id)!, name)),
    )
  }

  #unlisted(provider: Provider, name: string): Endpoint {
    const listed = this.#catalog.endpoint(provider.id, name)
    return listed && listed.kind === this.#kind ? listed : requestedOf(provider, name, this.#kind)
  }
}

/** The endpoints of several names, each of them once. */
export function withoutRepeats(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const seen = new Set<Endpoint | string>()
  return endpoints.filter(endpoint => {
    const identity = identityOf(endpoint)
    if (seen.has(identity)) return false
    seen.add(identity)
    return true
  })
}

/** Endpoints that no catalog lists are created for each request. */
export function identityOf(endpoint: Endpoint): Endpoint | string {
  return endpoint.listed ? endpoint : `${endpoint.provider}/${endpoint.model}`
}

function noneForAuto(): Error {
  const message = wording`No model here can serve this request automatically. Name a model.`
  return new GatewayError({ ...invalidRequest(message, 'model', 'model_not_found'), message, hint: listOfModels })
}

function unknownProvider(provider: string, index: number, catalog: Catalog, providers: Registry<Provider>): Error {
  const param = `routing.provider.fallbacks[${index}]`
  const absence = catalog.absence(`${provider}/`)
  if (absence) return invalidRequest(wording`${own(absence)}`, param)
  const near = providers.nearest(provider)
  const known = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Known providers: ${providers.names().join(', ')}.`
  return invalidRequest(wording`The provider "${provider}" does not exist here. ${own(known)}`, param)
}
