import type { Catalog, Endpoint } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { invalidRequest } from '../foundation/errors.ts'
import type { Registry } from '../framework/registry.ts'
import { unlistedEndpoint } from './catalog.ts'
import { endpointsOf, generatingEndpoints } from './model-name.ts'

/** Every endpoint that the request could use, in the order to try them: docs/protocol/routing.md#fallbacks. */
export function candidatesFor(request: GenerationRequest, catalog: Catalog, providers: Registry<Provider>): readonly Endpoint[] {
  const all = new Candidates(request, catalog, providers).all()
  if (!request.context_management?.length) return all
  // If any candidate supports it, drop the others: docs/protocol/request.md#context-management.
  const compacting = all.filter(({ capabilities }) => capabilities.contextManagement)
  return compacting.length > 0 ? compacting : all
}

class Candidates {
  readonly #request: GenerationRequest
  readonly #catalog: Catalog
  readonly #providers: Registry<Provider>

  constructor(request: GenerationRequest, catalog: Catalog, providers: Registry<Provider>) {
    this.#request = request
    this.#catalog = catalog
    this.#providers = providers
  }

  all(): readonly Endpoint[] {
    const { model, routing } = this.#request
    const primary = this.#named(model, 'model')
    const { fallbacks = [] } = routing?.model ?? {}
    if (fallbacks.length === 0) return primary
    const others = fallbacks.map((name, index) => (name === 'auto' ? [] : this.#named(name, `routing.model.fallbacks[${index}]`)))
    // `auto` comes last, and may add nothing: docs/protocol/routing.md#fallbacks.
    const chosen = fallbacks.includes('auto') ? this.#capable('auto', 'routing.model.fallbacks') : []
    return withoutRepeats([...primary, ...others.flat(), ...chosen])
  }

  #named(name: string, param: string): readonly Endpoint[] {
    const capable = this.#capable(name, param)
    const [first] = capable
    if (!first)
      throw invalidRequest(
        'No model here can serve this request automatically. Name a model; GET /v1/models lists them.',
        param,
        'model_not_found',
      )
    const { fallbacks = [] } = this.#request.routing?.provider ?? {}
    if (fallbacks.length === 0 || name === 'auto') return capable
    const model = this.#catalog.resolve(first.model)
    const everywhere = model ? generatingEndpoints(model) : []
    const chosen = fallbacks.map((id, index) => {
      const provider = this.#providers.get(id)
      if (!provider) throw unknownProvider(id, index, this.#catalog, this.#providers)
      return everywhere.find(endpoint => endpoint.provider === id) ?? (first.listed ? undefined : unlistedEndpoint(provider, first.model))
    })
    return withoutRepeats([first, ...chosen.filter(endpoint => endpoint !== undefined), ...capable])
  }

  /** A named model is tried even if it seems incapable; `auto` considers only capable ones. */
  #capable(name: string, param: string): readonly Endpoint[] {
    const endpoints = endpointsOf(name, param, this.#catalog, this.#providers)
    return name === 'auto' ? endpoints.filter(endpoint => isCapable(endpoint, this.#request)) : endpoints
  }
}

/** Keeps the first of equal endpoints. */
function withoutRepeats(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const found = new Map<string, Endpoint>()
  for (const endpoint of endpoints) {
    const key = `${endpoint.provider}/${endpoint.model}`
    if (!found.has(key)) found.set(key, endpoint)
  }
  return [...found.values()]
}

/** False if the endpoint is known to lack something that the request needs. */
function isCapable({ capabilities }: Endpoint, request: GenerationRequest): boolean {
  if (capabilities.tools === false && request.tools?.some(({ type }) => type === 'function')) return false
  if (capabilities.structuredOutput === 'none' && request.text?.format && request.text.format.type !== 'text') return false
  const parts = request.input.flatMap(item => (item.type === 'message' ? item.content : []))
  if (capabilities.images === false && parts.some(({ type }) => type === 'input_image')) return false
  return !(capabilities.files === false && parts.some(({ type }) => type === 'input_file'))
}

function unknownProvider(provider: string, index: number, catalog: Catalog, providers: Registry<Provider>): Error {
  const param = `routing.provider.fallbacks[${index}]`
  const absence = catalog.absence(`${provider}/`)
  if (absence) return invalidRequest(absence, param)
  const near = providers.nearest(provider)
  const known = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Known providers: ${providers.names().join(', ')}.`
  return invalidRequest(`The provider "${provider}" does not exist here. ${known}`, param)
}
