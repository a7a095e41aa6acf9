import type { CatalogEntry } from '../../../core/index.ts'
import type { CatalogEndpoint } from '../../../core/kit.ts'
import type { PackedCatalog, PackedEndpoint, PackedModel } from './format.ts'

/** The models of these providers. Skips others, because most of the catalog is about providers that a gateway does not load. */
export function entriesOf(catalog: PackedCatalog, isLoaded: (provider: string) => boolean): readonly CatalogEntry[] {
  const loaded = new Set(catalog.providers.flatMap((provider, index) => (isLoaded(provider) ? [index + 1] : [])))
  const entries: CatalogEntry[] = []
  for (const model of catalog.models) {
    const at = model.at.filter(([provider]) => loaded.has(provider))
    if (at.length > 0) entries.push(entryOf(model, at, catalog))
  }
  return entries
}

/** Provider ids by the name or alias of each model. */
export function providersByName(entries: readonly CatalogEntry[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const { model, aliases = [], endpoints } of entries) {
    const ids = endpoints.map(({ provider }) => provider)
    for (const name of [model, ...aliases]) found.set(name, ids)
  }
  return found
}

function entryOf(
  { id, aliases, at: _, auto = false, tokenizer, ...facts }: PackedModel,
  at: readonly PackedEndpoint[],
  catalog: PackedCatalog,
): CatalogEntry {
  // A present member overrides the provider's own list, so unknown members are left out.
  const endpoints = at.map(([provider, capabilities, price, contextWindow, maxOutputTokens, upstreamModel = id]): CatalogEndpoint => ({
    provider: catalog.providers[provider - 1]!,
    upstreamModel,
    ...(contextWindow > 0 && { contextWindow }),
    ...(maxOutputTokens > 0 && { maxOutputTokens }),
    ...(tokenizer && { tokenizer }),
    ...(price > 0 && { price: catalog.prices[price - 1] }),
    ...(capabilities > 0 && { capabilities: catalog.capabilities[capabilities - 1]! }),
  }))
  return { model: id, ...(aliases && { aliases }), ...facts, auto, endpoints }
}
