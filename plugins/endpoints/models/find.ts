import type { Endpoint, Model, Provider, Registry } from '../../../core/index.ts'
import type { Catalog } from '../../../core/kit.ts'
import { mayChooseAuto } from './list.ts'
import { usableOf, type IsUsable } from './usable.ts'

/** What a name means to a caller. `endpoints`: those that it may use, at least one, except for `auto`. */
export type Found =
  | { readonly is: 'auto' }
  | { readonly is: 'listed'; readonly model: Model; readonly endpoints: readonly Endpoint[] }
  | { readonly is: 'unlisted'; readonly endpoint: Endpoint }

/** Finds a model by name, alias or `provider/model`, which need not be in a catalog. Undefined for models that the caller may not use. */
export function find(name: string, isUsable: IsUsable, catalog: Catalog, providers: Registry<Provider>): Found | undefined {
  const listed = (model: Model): Found | undefined => {
    const endpoints = usableOf(model.endpoints, isUsable)
    return endpoints.length > 0 ? { is: 'listed', model, endpoints } : undefined
  }
  if (name === 'auto') return mayChooseAuto(catalog.models(), isUsable) ? { is: 'auto' } : undefined
  const model = catalog.resolve(name)
  if (model) return listed(model)
  const slash = name.indexOf('/')
  const provider = slash > 0 ? providers.get(name.slice(0, slash)) : undefined
  const rest = name.slice(slash + 1)
  if (!provider || !rest) return undefined
  const known = catalog.endpoint(provider.id, rest)
  if (known) return listed(catalog.resolve(known.model)!)
  const { id, capabilities = {} } = provider
  const endpoint = { provider: id, model: rest, upstreamModel: rest, listed: false, capabilities, zdr: false, hipaa: false } as const
  return isUsable(endpoint) ? { is: 'unlisted', endpoint } : undefined
}

/** The endpoint whose facts stand for the model: in the list, too. `auto` has none. */
export function factsOf(found: Found, isReachable: IsUsable): Endpoint | undefined {
  if (found.is === 'auto') return undefined
  return found.is === 'unlisted' ? found.endpoint : (found.endpoints.find(isReachable) ?? found.endpoints[0])
}
