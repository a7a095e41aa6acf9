import type { Catalog, Endpoint, EndpointKind, Model } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import type { RetrievalKind } from '../contracts/retrieval.ts'
import { GatewayError, invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { nearest } from '../foundation/nearest.ts'
import type { Registry } from '../framework/registry.ts'
import { requestedEndpoint, unlistedEndpoint } from './provider-capabilities.ts'

/**
 * Resolves a name to its endpoints, in catalog order: a canonical name, an alias, `provider/model`, or `auto`. With an explicit provider,
 * any model name is accepted. Throws a 400 that suggests similar names.
 */
export function endpointsOf(
  name: string,
  param: string,
  catalog: Catalog,
  providers: Registry<Provider>,
  kind?: RetrievalKind,
): readonly Endpoint[] {
  checkWellFormed(name, param)
  if (name === 'auto') {
    if (kind) throw namesNone(param)
    return endpointsForAuto(catalog.models())
  }
  const model = catalog.resolve(name)
  if (model) {
    const endpoints = endpointsFor(model, kind)
    if (endpoints.length === 0) throw otherKind(name, param, model.endpoints[0]!.kind, kind)
    return endpoints
  }
  const slash = name.indexOf('/')
  const [prefix, rest] = [name.slice(0, slash), name.slice(slash + 1)]
  const provider = slash > 0 ? providers.get(prefix) : undefined
  const listed = slash > 0 ? catalog.endpoint(prefix, rest) : undefined
  if (listed && listed.kind !== kind) throw otherKind(name, param, listed.kind, kind)
  if (provider && rest) return [listed ?? requestedOf(provider, rest, kind)]
  throw unknownModel(name, param, catalog, providers, kind)
}

/** An endpoint for a model that no catalog lists, for calls of this kind. */
export function requestedOf(provider: Provider, model: string, kind: RetrievalKind | undefined): Endpoint {
  if (!kind) return requestedEndpoint(provider, model)
  return Object.freeze({ ...unlistedEndpoint({ id: provider.id }, model), kind })
}

/** Until the catalog changes, it returns the same array of models. */
const autoEndpoints = new WeakMap<readonly Model[], readonly Endpoint[]>()

function endpointsForAuto(models: readonly Model[]): readonly Endpoint[] {
  let endpoints = autoEndpoints.get(models)
  if (!endpoints) {
    endpoints = models.filter(({ auto }) => auto).flatMap(generatingEndpoints)
    autoEndpoints.set(models, endpoints)
  }
  return endpoints
}

/** JSON can carry half of a surrogate pair, but a vendor's URLs and headers cannot. */
export function checkWellFormed(name: string, param: string): void {
  if (name.isWellFormed()) return
  throw invalidRequest(
    wording`Invalid value for '${own(param)}': the name contains half of a surrogate pair, which is not a character.`,
    param,
  )
}

/** The endpoints of a model that answer calls of this kind. Undefined: generations. */
export function endpointsFor(model: Model, kind: RetrievalKind | undefined): readonly Endpoint[] {
  return kind ? model.endpoints.filter(endpoint => endpoint.kind === kind) : generatingEndpoints(model)
}

/** Without the endpoints that answer another kind of call. */
export function generatingEndpoints({ endpoints }: Model): readonly Endpoint[] {
  return endpoints.some(({ kind }) => kind) ? endpoints.filter(({ kind }) => !kind) : endpoints
}

/** A hint for errors about names of models. */
export const listOfModels = { path: '/v1/models', text: 'GET /v1/models lists the names.' } as const

/** True if the catalog's model of this name answers calls of this kind. */
function answers(name: string, catalog: Catalog, kind: RetrievalKind | undefined): boolean {
  const model = catalog.resolve(name)
  if (model) return endpointsFor(model, kind).length > 0
  const slash = name.indexOf('/')
  return catalog.endpoint(name.slice(0, slash), name.slice(slash + 1))?.kind === kind
}

/** What models of each kind do, do not do, and where to ask them. */
const kinds = {
  generation: { does: 'generates text', not: 'does not generate text', path: '/v1/responses' },
  decision: { does: 'answers decisions', not: 'does not answer decisions', path: '/v1/systemone' },
  embedding: { does: 'makes embeddings', not: 'makes no embeddings', path: '/v1/embeddings' },
  rerank: { does: 'reranks documents', not: 'does not rerank', path: '/v1/rerank' },
} as const

function otherKind(name: string, param: string, actual: EndpointKind | undefined, asked: RetrievalKind | undefined): Error {
  const { does, path } = kinds[actual ?? 'generation']
  const message = wording`The model "${name}" ${own(does)} and ${own(kinds[asked ?? 'generation'].not)}.`
  return new GatewayError({ ...invalidRequest(message, param), message, hint: { path, text: `Use POST ${path} for it.` } })
}

function namesNone(param: string): Error {
  return invalidRequest(wording`Name a model: the results of two models cannot be compared, so "auto" is not possible here.`, param)
}

function unknownModel(
  name: string,
  param: string,
  catalog: Catalog,
  providers: Registry<Provider>,
  kind: RetrievalKind | undefined,
): Error {
  const absence = catalog.absence(name)
  if (absence) return invalidRequest(wording`The model "${name}" is not served here. ${own(absence)}`, param, 'model_not_found')
  const isAutoThere = !kind && endpointsForAuto(catalog.models()).length > 0
  const near = [...(isAutoThere ? nearest(name, ['auto'], 1) : []), ...catalog.nearest(name, each => answers(each, catalog, kind))].slice(
    0,
    3,
  )
  const names = near.length > 0 ? near : providers.nearest(name.split('/', 1)[0]!).map(provider => `${provider}/…`)
  const message = wording`The model "${name}" does not exist here. ${names.length > 0 ? wording`Did you mean ${own(names.join(', '))}?` : wording`Write <provider>/<model>.`}`
  const hint = names.length > 0 ? undefined : listOfModels
  return new GatewayError({ ...invalidRequest(message, param, 'model_not_found'), message, hint })
}
