import type { Catalog, Endpoint, Model } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import { GatewayError, invalidRequest } from '../foundation/errors.ts'
import { nearest } from '../foundation/nearest.ts'
import type { Registry } from '../framework/registry.ts'
import { requestedEndpoint } from './provider-capabilities.ts'

/**
 * Resolves a name to its endpoints, in catalog order: a canonical name, an alias, `provider/model`, or `auto`. With an explicit provider,
 * any model name is accepted. Throws a 400 that suggests similar names.
 */
export function endpointsOf(name: string, param: string, catalog: Catalog, providers: Registry<Provider>): readonly Endpoint[] {
  checkWellFormed(name, param)
  if (name === 'auto') return endpointsForAuto(catalog.models())
  const model = catalog.resolve(name)
  if (model) {
    const endpoints = generatingEndpoints(model)
    if (endpoints.length === 0) throw onlyDecides(name, param)
    return endpoints
  }
  const slash = name.indexOf('/')
  const [prefix, rest] = [name.slice(0, slash), name.slice(slash + 1)]
  const provider = slash > 0 ? providers.get(prefix) : undefined
  const listed = slash > 0 ? catalog.endpoint(prefix, rest) : undefined
  if (listed?.kind === 'decision') throw onlyDecides(name, param)
  if (provider && rest) return [listed ?? requestedEndpoint(provider, rest)]
  throw unknownModel(name, param, catalog, providers)
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
  throw invalidRequest(`Invalid value for '${param}': the name contains half of a surrogate pair, which is not a character.`, param)
}

/** Without the endpoints that only answer decisions. */
export function generatingEndpoints({ endpoints }: Model): readonly Endpoint[] {
  return endpoints.some(({ kind }) => kind) ? endpoints.filter(({ kind }) => !kind) : endpoints
}

/** A hint for errors about names of models. */
export const listOfModels = { path: '/v1/models', text: 'GET /v1/models lists the names.' } as const

/** True if the catalog's model of this name generates. */
function generates(name: string, catalog: Catalog): boolean {
  const model = catalog.resolve(name)
  if (model) return generatingEndpoints(model).length > 0
  const slash = name.indexOf('/')
  return catalog.endpoint(name.slice(0, slash), name.slice(slash + 1))?.kind !== 'decision'
}

function onlyDecides(name: string, param: string): Error {
  const message = `The model "${name}" answers decisions and does not generate text.`
  const hint = { path: '/v1/systemone', text: 'Use POST /v1/systemone for it.' }
  return new GatewayError({ ...invalidRequest(message, param), message, hint })
}

function unknownModel(name: string, param: string, catalog: Catalog, providers: Registry<Provider>): Error {
  const absence = catalog.absence(name)
  if (absence) return invalidRequest(`The model "${name}" is not served here. ${absence}`, param, 'model_not_found')
  const isAutoThere = endpointsForAuto(catalog.models()).length > 0
  const near = [...(isAutoThere ? nearest(name, ['auto'], 1) : []), ...catalog.nearest(name, each => generates(each, catalog))].slice(0, 3)
  const names = near.length > 0 ? near : providers.nearest(name.split('/', 1)[0]!).map(provider => `${provider}/…`)
  const message = `The model "${name}" does not exist here. ${names.length > 0 ? `Did you mean ${names.join(', ')}?` : 'Write <provider>/<model>.'}`
  const hint = names.length > 0 ? undefined : listOfModels
  return new GatewayError({ ...invalidRequest(message, param, 'model_not_found'), message, hint })
}
