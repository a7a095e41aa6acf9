import { Catalog, type CatalogSource } from '../contracts/catalog.ts'
import { wire } from '../framework/container.ts'
import { CatalogSources } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import { asked } from './source-entries.ts'

/** The facts about the catalog that `turnpike start` and `turnpike check` print. */
export class CatalogFacts {
  readonly #sources: Registry<CatalogSource>
  readonly #catalog: Catalog

  static {
    wire(this, [CatalogSources, Catalog])
  }

  constructor(sources: Registry<CatalogSource>, catalog: Catalog) {
    this.#sources = sources
    this.#catalog = catalog
  }

  /** Each source's description of its size and age. */
  sources(): readonly { readonly name: string; readonly description: string }[] {
    return this.#sources.values().map(source => ({ name: source.name, description: this.#described(source) }))
  }

  #described(source: CatalogSource): string {
    const plugin = this.#sources.pluginOf(source.name) ?? source.name
    return asked(source, plugin, () => source.summary?.() ?? modelsText(source.entries().length))
  }

  /** The number of models that the bundled catalog lists for each provider. */
  bundled(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const source of this.#sources.values().filter(({ rank }) => rank === 'bundled'))
      for (const { provider } of source.entries().flatMap(({ endpoints }) => endpoints))
        counts.set(provider, (counts.get(provider) ?? 0) + 1)
    return counts
  }

  /** The number of endpoints, and how many may see the requests of keys with `zdr` or `hipaa` on. */
  endpoints(): { readonly all: number; readonly zdr: number; readonly hipaa: number } {
    const all = this.#catalog.models().flatMap(model => model.endpoints)
    return { all: all.length, zdr: all.filter(({ zdr }) => zdr).length, hipaa: all.filter(({ hipaa }) => hipaa).length }
  }
}

function modelsText(count: number): string {
  return count === 1 ? '1 model' : `${count} models`
}
