import { wire } from '../framework/container.ts'
import {
  catalogRanks,
  type AbsentProvider,
  type Catalog,
  type CatalogEndpoint,
  type CatalogEntry,
  type CatalogSource,
  type Endpoint,
  type Model,
} from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import { AbsentProviders, CatalogSources, Providers } from '../framework/extension-points.ts'
import { PluginError } from '../foundation/errors.ts'
import { frozenCopy } from '../foundation/freeze.ts'
import { nearest } from '../foundation/nearest.ts'
import type { Registry } from '../framework/registry.ts'
import { describePluginError, Logger } from '../foundation/logger.ts'
import { ProviderMistake } from '../provider-kit/provider-mistake.ts'
import { unlistedEndpoint } from './provider-capabilities.ts'
import { asked, entriesOf } from './source-entries.ts'

type ModelDraft = { -readonly [Member in keyof Omit<Model, 'aliases' | 'endpoints'>]: Model[Member] } & {
  readonly aliases: Set<string>
  readonly endpoints: Map<string, Endpoint>
}

const maxNamed = 3

/** Merges all sources into one catalog in memory, and rebuilds it whenever a source changes. Plugins get its models, so they are frozen. */
export class CatalogIndex implements Catalog {
  readonly #sources: readonly { readonly source: CatalogSource; readonly plugin: string }[]
  readonly #log: Logger | undefined
  readonly #providers: Registry<Provider>
  readonly #absent: Registry<AbsentProvider>
  #models: readonly Model[] = []
  #names = new Map<string, Model>()
  /** By `provider/upstreamModel`. */
  #upstream = new Map<string, Endpoint>()

  static {
    wire(this, [CatalogSources, Providers, AbsentProviders, Logger])
  }

  constructor(sources: Registry<CatalogSource>, providers: Registry<Provider>, absent: Registry<AbsentProvider>, log?: Logger) {
    const all = sources.values().map(source => ({ source, plugin: sources.pluginOf(source.name) ?? source.name }))
    this.#sources = all.sort((a, b) => rankOf(a.source) - rankOf(b.source))
    this.#log = log
    this.#providers = providers
    this.#absent = absent
  }

  /** Called once, after every plugin has started. Sources may load their data until then. Throws a `PluginError` for a source that fails. */
  start(): void {
    for (const { source, plugin } of this.#sources) asked(source, plugin, () => source.onChange?.(() => this.#changed(source, plugin)))
    this.#build()
  }

  resolve(name: string): Model | undefined {
    return this.#names.get(name)
  }

  endpoint(provider: string, name: string): Endpoint | undefined {
    // The provider's own name wins: the same name may be an alias of another of its models.
    return this.#upstream.get(`${provider}/${name}`) ?? this.resolve(name)?.endpoints.find(endpoint => endpoint.provider === provider)
  }

  models(): readonly Model[] {
    return this.#models
  }

  nearest(name: string, accepts: (name: string) => boolean = () => true): readonly string[] {
    const names = [...this.#names.keys()].filter(accepts)
    const near = nearest(name, names)
    if (near.length > 0) return near
    const slash = name.indexOf('/')
    if (slash < 1) return nearest(name, [...this.#upstream.keys()].filter(accepts))
    const [prefix, rest] = [name.slice(0, slash), name.slice(slash + 1)]
    const providers = this.#providers.get(prefix) ? [prefix] : this.#providers.nearest(prefix)
    const models = this.#names.has(rest) ? [rest] : nearest(rest, names)
    const pairs = providers.flatMap(provider => models.filter(model => this.endpoint(provider, model)).map(model => `${provider}/${model}`))
    return pairs.filter(accepts)
  }

  absence(name: string): string | undefined {
    const [prefix = ''] = name.split('/', 1)
    const named = prefix === name ? undefined : this.#absentProvider(prefix)
    if (named) return `The provider "${prefix}" is not loaded: ${named.remedy}, then restart the gateway.`
    const ids = new Set(this.#sources.flatMap(({ source }) => source.providersOf?.(name) ?? []))
    if (ids.size === 0) return undefined
    const remedies = Array.from(ids, id => this.#absentProvider(id)?.remedy).filter(remedy => remedy !== undefined)
    const advice =
      remedies.length > 0
        ? `${remedies.slice(0, maxNamed).join(', or ')}, then restart the gateway`
        : `add a plugin for ${[...ids].slice(0, maxNamed).join(', ')}`
    return `None of its providers is loaded: ${advice}.`
  }

  #absentProvider(id: string): AbsentProvider | undefined {
    return this.#providers.get(id) ? undefined : this.#absent.get(id)
  }

  /** The earlier models stay if the source fails. */
  #changed(source: CatalogSource, plugin: string): void {
    try {
      this.#build()
    } catch (error) {
      const atFault = error instanceof PluginError ? error.plugin : plugin
      const fields = { source: source.name, plugin: atFault, ...describePluginError(error, false) }
      this.#log?.error('a catalog source failed, so its models stay as they were', fields)
    }
  }

  #build(): void {
    const drafts = new Map<string, ModelDraft>()
    const sources = this.#sources.map(({ source, plugin }) => ({
      isBundled: source.rank === 'bundled',
      entries: entriesOf(source, plugin),
    }))
    // Only the bundled catalog ranks the models of all vendors, so its order counts even for models that other sources describe, too.
    for (const { isBundled, entries } of sources) if (isBundled) for (const { model } of entries) drafts.set(model, emptyDraft(model))
    for (const { entries } of sources) for (const entry of entries) this.#merge(drafts, entry)
    const all = Array.from(drafts.values(), ({ aliases, endpoints, ...draft }): Model => ({
      ...draft,
      aliases: [...aliases],
      endpoints: [...endpoints.values()],
    }))
    const models = frozenCopy(all.filter(({ endpoints }) => endpoints.length > 0))
    this.#models = models
    this.#names = new Map(models.flatMap(model => model.aliases.map(alias => [alias, model])))
    for (const model of models) this.#names.set(model.id, model)
    const endpoints = models.flatMap(model => model.endpoints)
    this.#upstream = new Map(endpoints.map(endpoint => [`${endpoint.provider}/${endpoint.upstreamModel}`, endpoint]))
  }

  #merge(drafts: Map<string, ModelDraft>, { model: id, aliases = [], endpoints, remove = false, ...facts }: CatalogEntry): void {
    if (remove) drafts.delete(id)
    const draft = drafts.get(id) ?? emptyDraft(id)
    drafts.set(id, draft)
    Object.assign(draft, facts)
    for (const alias of aliases) draft.aliases.add(alias)
    for (const { remove: removed = false, ...described } of endpoints) {
      if (removed) {
        draft.endpoints.delete(described.provider)
        continue
      }
      const known = draft.endpoints.get(described.provider) ?? this.#unlisted(described, id)
      if (!known) continue
      const capabilities = { ...known.capabilities, ...described.capabilities }
      draft.endpoints.set(known.provider, { ...known, ...described, listed: true, capabilities })
    }
  }

  /** A decision model needs no generation provider: only its own plugin lists it. */
  #unlisted({ provider: id, kind, upstreamModel }: CatalogEndpoint, model: string): Endpoint | undefined {
    const provider = kind === 'decision' ? { id } : this.#providers.get(id)
    try {
      return provider && unlistedEndpoint(provider, model, upstreamModel)
    } catch (error) {
      if (!(error instanceof ProviderMistake)) throw error
      throw new PluginError(this.#providers.pluginOf(id) ?? id, error.message, { cause: error.cause })
    }
  }
}

function rankOf({ rank = 'provider' }: CatalogSource): number {
  return catalogRanks.indexOf(rank)
}

function emptyDraft(id: string): ModelDraft {
  return { id, aliases: new Set(), created: 0, ownedBy: 'unknown', auto: true, endpoints: new Map() }
}
