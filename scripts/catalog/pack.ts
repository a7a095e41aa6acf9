import type { CatalogEndpoint } from '../../core/kit.ts'
import type { PackedCatalog, PackedEndpoint, PackedModel } from '../../plugins/catalogs/bundled/format.ts'
import { compare, type Group } from './models.ts'
import { isForAuto } from './preference.ts'

/** Packs the catalog as it is shipped. The same groups always produce the same file. */
export function pack(groups: readonly Group[], date: string, notices: readonly string[]): PackedCatalog {
  const all = groups.flatMap(({ endpoints }) => endpoints)
  const providers = new Shared(all.map(({ provider }) => provider))
  const capabilities = new Shared(all.map(endpoint => ordered(endpoint.capabilities ?? {})))
  const prices = new Shared(all.flatMap(({ price }) => (price ? [ordered(price)] : [])))
  const packedEndpoint = (
    { provider, upstreamModel, contextWindow = 0, maxOutputTokens = 0, ...facts }: CatalogEndpoint,
    model: string,
  ): PackedEndpoint => [
    providers.placeOf(provider),
    capabilities.placeOf(ordered(facts.capabilities ?? {})),
    facts.price ? prices.placeOf(ordered(facts.price)) : 0,
    contextWindow,
    maxOutputTokens,
    ...(upstreamModel !== undefined && upstreamModel !== model ? ([upstreamModel] as const) : ([] as const)),
  ]
  const models = groups.map((group): PackedModel => {
    const { model, aliases, family, ownedBy, created, tokenizer, endpoints } = group
    return {
      id: model,
      ...(aliases.length > 0 && { aliases }),
      ...(family !== undefined && { family }),
      ...(ownedBy !== 'unknown' && { ownedBy }),
      ...(created !== undefined && { created }),
      ...(isForAuto(group) && { auto: true as const }),
      ...(tokenizer && { tokenizer }),
      at: endpoints.map(endpoint => packedEndpoint(endpoint, model)),
    }
  })
  return { format: 1, date, notices, providers: providers.values, capabilities: capabilities.values, prices: prices.values, models }
}

/** One line per model, so that diffs stay readable. */
export function print({ models, ...rest }: PackedCatalog): string {
  const head = JSON.stringify(rest)
    .slice(0, -1)
    .replaceAll(/("(?:notices|providers|capabilities|prices)":)/g, '\n$1')
  return `${head},\n"models":[\n${models.map(model => JSON.stringify(model)).join(',\n')}\n]}\n`
}

/** Each value once, the most frequent first. */
class Shared<T> {
  readonly values: readonly T[]
  readonly #places: ReadonlyMap<string, number>

  constructor(all: readonly T[]) {
    const uses = new Map<string, number>()
    for (const text of all.map(value => JSON.stringify(value))) uses.set(text, (uses.get(text) ?? 0) + 1)
    const texts = [...uses].sort(([a, m], [b, n]) => n - m || compare(a, b)).map(([text]) => text)
    this.values = texts.map(text => JSON.parse(text) as T)
    this.#places = new Map(texts.map((text, index) => [text, index + 1]))
  }

  placeOf(value: T): number {
    return this.#places.get(JSON.stringify(value))!
  }
}

/** Sorts members by name and drops undefined ones, so that equal values are written the same way. */
function ordered<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => compare(a, b))))) as T
}
