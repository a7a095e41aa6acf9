import type { AlertThreshold } from '../contracts/alert-rules.ts'
import type { Catalog } from '../contracts/catalog.ts'

type Endpoints = Pick<Catalog, 'endpoint'>

/** The reason that `only` cannot work. Undefined if it can. */
export function onlyProblem({ of, only = [] }: AlertThreshold): string | undefined {
  if (of === 'gateway')
    return only.length > 0 ? 'is of the gateway as a whole, which `only` cannot narrow. Set of to providers or models' : undefined
  const wrong = only.find(name => name.includes('/') !== (of === 'models'))
  if (wrong === undefined) return undefined
  return `names ${JSON.stringify(wrong)} in only. Name ${of === 'models' ? 'models as provider/model' : 'providers by their id, without a model'}`
}

/** `only` by canonical names, as records have them. People also write aliases and the vendor's names. */
export function canonicalOnly({ of, only }: AlertThreshold, catalog: Endpoints): readonly string[] | undefined {
  if (of !== 'models') return only
  return only?.map(name => {
    const { provider, model } = split(name)
    return `${provider}/${catalog.endpoint(provider, model)?.model ?? model}`
  })
}

/** The names in `only` that nothing can match now. A catalog may list a model later. */
export function unknownOnly({ of, only = [] }: AlertThreshold, catalog: Endpoints, providers: readonly string[]): readonly string[] {
  return only.filter(name => {
    const { provider, model } = split(name)
    if (!providers.includes(provider)) return true
    return of === 'models' && model !== 'other' && catalog.endpoint(provider, model) === undefined
  })
}

/** Names of models may have slashes. */
function split(name: string): { readonly provider: string; readonly model: string } {
  const [provider = '', ...model] = name.split('/')
  return { provider, model: model.join('/') }
}
