import { wire } from '../container.ts'
import type { Catalog, CatalogEntry, CatalogSource, Endpoint, Model } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import { CatalogSources, Providers } from '../extension-points.ts'
import { nearest } from '../nearest.ts'
import type { Registry } from '../registry.ts'

interface Draft {
  readonly id: string
  readonly aliases: Set<string>
  created: number
  ownedBy: string
  auto: boolean
  readonly endpoints: Map<string, Endpoint>
}

/** All sources as one catalog, held in memory and built anew whenever a source changes. */
export class CatalogIndex implements Catalog {
  readonly #sources: readonly CatalogSource[]
  readonly #providers: Registry<Provider>
  #models = new Map<string, Model>()
  #names = new Map<string, Model>()

  static {
    wire(this, [CatalogSources, Providers])
  }

  constructor(sources: Registry<CatalogSource>, providers: Registry<Provider>) {
    this.#sources = sources.values()
    this.#providers = providers
  }

  /** Called once, after every plugin has started: sources may load their data until then. */
  start(): void {
    for (const source of this.#sources) source.onChange?.(() => this.#build())
    this.#build()
  }

  resolve(name: string): Model | undefined {
    return this.#names.get(name)
  }

  models(): readonly Model[] {
    return [...this.#models.values()]
  }

  nearest(name: string): readonly string[] {
    const byProvider = [...this.#models.values()].flatMap(({ id, endpoints }) => endpoints.map(({ provider }) => `${provider}/${id}`))
    return nearest(name, [...this.#names.keys(), ...byProvider])
  }

  #build(): void {
    const drafts = new Map<string, Draft>()
    for (const source of this.#sources) for (const entry of source.entries()) this.#merge(drafts, entry)
    const models = Array.from(drafts.values(), (draft): Model => ({
      ...draft,
      aliases: [...draft.aliases],
      endpoints: [...draft.endpoints.values()],
    })).filter(({ endpoints }) => endpoints.length > 0)
    this.#models = new Map(models.map(model => [model.id, model]))
    this.#names = new Map([...models.flatMap(model => model.aliases.map(alias => [alias, model] as const)), ...this.#models])
  }

  #merge(drafts: Map<string, Draft>, entry: CatalogEntry): void {
    const id = entry.model
    const draft = drafts.get(id) ?? {
      id,
      aliases: new Set<string>(),
      created: 0,
      ownedBy: 'unknown',
      auto: true,
      endpoints: new Map<string, Endpoint>(),
    }
    drafts.set(id, draft)
    for (const alias of entry.aliases ?? []) draft.aliases.add(alias)
    draft.created = entry.created ?? draft.created
    draft.ownedBy = entry.ownedBy ?? draft.ownedBy
    draft.auto = entry.auto ?? draft.auto
    for (const facts of entry.endpoints) {
      const provider = this.#providers.get(facts.provider)
      if (!provider) continue
      const known = draft.endpoints.get(facts.provider) ?? unlistedEndpoint(provider, id)
      draft.endpoints.set(facts.provider, {
        ...known,
        ...facts,
        listed: true,
        capabilities: { ...known.capabilities, ...facts.capabilities },
      })
    }
  }
}

/** A model of which only the name is known. */
export function unlistedEndpoint({ id, capabilities = {} }: Provider, model: string): Endpoint {
  return { provider: id, model, upstreamModel: model, listed: false, capabilities, zdr: false, hipaa: false }
}
