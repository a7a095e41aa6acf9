import type { Catalog, Endpoint } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { invalidRequest } from '../errors.ts'
import type { Registry } from '../registry.ts'
import { unlistedEndpoint } from './catalog.ts'
import { endpointsOf, generatingEndpoints } from './model-name.ts'

/** Every endpoint that the request could use, in the order in which they are tried: spec.md, `routing`. */
export function candidatesFor(request: GenerationRequest, catalog: Catalog, providers: Registry<Provider>): readonly Endpoint[] {
  const all = allCandidates(request, catalog, providers)
  if (!request.context_management?.length) return all
  // decisions.md: while one that has it is a candidate, others are not.
  const compacting = all.filter(({ capabilities }) => capabilities.contextManagement)
  return compacting.length > 0 ? compacting : all
}

function allCandidates(request: GenerationRequest, catalog: Catalog, providers: Registry<Provider>): readonly Endpoint[] {
  const primary = namedEndpoints(request.model, 'model', request, catalog, providers)
  const { fallbacks: modelFallbacks = [] } = request.routing?.model ?? {}
  if (modelFallbacks.length === 0) return primary
  const found = new Map<string, Endpoint>()
  const add = (endpoints: readonly Endpoint[]): void => {
    for (const endpoint of endpoints) if (!found.has(keyOf(endpoint))) found.set(keyOf(endpoint), endpoint)
  }
  add(primary)
  // spec: `auto` moves to the end. Where it has nothing to add, the models that were named stand alone.
  for (const [index, name] of modelFallbacks.entries()) {
    if (name !== 'auto') add(namedEndpoints(name, `routing.model.fallbacks[${index}]`, request, catalog, providers))
  }
  if (modelFallbacks.includes('auto')) add(capableEndpoints('auto', 'routing.model.fallbacks', request, catalog, providers))
  return [...found.values()]
}

function namedEndpoints(
  name: string,
  param: string,
  request: GenerationRequest,
  catalog: Catalog,
  providers: Registry<Provider>,
): readonly Endpoint[] {
  const capable = capableEndpoints(name, param, request, catalog, providers)
  const [first] = capable
  if (!first)
    throw invalidRequest(
      'No model here can serve this request automatically. Name one: GET /v1/models lists them.',
      param,
      'model_not_found',
    )
  const { fallbacks = [] } = request.routing?.provider ?? {}
  if (fallbacks.length === 0 || name === 'auto') return capable
  const model = catalog.resolve(first.model)
  const everywhere = model ? generatingEndpoints(model) : []
  const chosen = fallbacks.map((id, index) => {
    const provider = providers.get(id)
    if (!provider) throw unknownProvider(id, index, providers)
    return everywhere.find(endpoint => endpoint.provider === id) ?? (first.listed ? undefined : unlistedEndpoint(provider, first.model))
  })
  const ordered = [first, ...chosen.filter(endpoint => endpoint !== undefined), ...capable]
  return [...new Map(ordered.map(endpoint => [keyOf(endpoint), endpoint])).values()]
}

/** What was named is tried whatever is known of it; `auto` chooses. */
function capableEndpoints(
  name: string,
  param: string,
  request: GenerationRequest,
  catalog: Catalog,
  providers: Registry<Provider>,
): readonly Endpoint[] {
  const endpoints = endpointsOf(name, param, catalog, providers)
  return name === 'auto' ? endpoints.filter(endpoint => isCapable(endpoint, request)) : endpoints
}

/** Whether nothing known speaks against this endpoint. */
function isCapable({ capabilities }: Endpoint, request: GenerationRequest): boolean {
  if (capabilities.tools === false && request.tools?.some(({ type }) => type === 'function')) return false
  if (capabilities.structuredOutput === 'none' && request.text?.format && request.text.format.type !== 'text') return false
  const parts = request.input.flatMap(item => (item.type === 'message' ? item.content : []))
  if (capabilities.images === false && parts.some(({ type }) => type === 'input_image')) return false
  return !(capabilities.files === false && parts.some(({ type }) => type === 'input_file'))
}

function keyOf({ provider, model }: Endpoint): string {
  return `${provider}/${model}`
}

function unknownProvider(provider: string, index: number, providers: Registry<Provider>): Error {
  const near = providers.nearest(provider)
  const known = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Known providers: ${providers.names().join(', ')}.`
  return invalidRequest(`The provider "${provider}" does not exist here. ${known}`, `routing.provider.fallbacks[${index}]`)
}
