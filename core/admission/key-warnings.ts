import { wire } from '../framework/container.ts'
import { Catalog } from '../contracts/catalog.ts'
import type { DecisionClient } from '../contracts/decision.ts'
import type { Provider } from '../contracts/provider.ts'
import { DecisionClients, Providers } from '../framework/extension-points.ts'
import { nearest } from '../foundation/nearest.ts'
import type { Registry } from '../framework/registry.ts'
import type { KeySettings } from './api-key.ts'
import { PolicyResolver } from './policy.ts'

/** Finds settings that would keep a new key from working as intended. */
export class KeyWarnings {
  readonly #catalog: Catalog
  readonly #providers: Registry<Provider>
  readonly #clients: Registry<DecisionClient>
  readonly #policies: PolicyResolver

  static {
    wire(this, [Catalog, Providers, DecisionClients, PolicyResolver])
  }

  constructor(catalog: Catalog, providers: Registry<Provider>, clients: Registry<DecisionClient>, policies: PolicyResolver) {
    this.#catalog = catalog
    this.#providers = providers
    this.#clients = clients
    this.#policies = policies
  }

  of({ models = [], providers = [], policy = {} }: KeySettings): readonly string[] {
    return [
      ...models.map(name => this.#model(name)),
      ...providers.map(id => this.#provider(id)),
      ...this.#policies
        .unenforced(policy)
        .map(
          field => `No loaded plugin enforces "${field}", so every request with this key will be refused. Load a plugin that enforces it.`,
        ),
    ].filter(warning => warning !== undefined)
  }

  #model(name: string): string | undefined {
    const wanted = this.#permissionFor(name)
    if (wanted === name) return undefined
    if (wanted !== undefined) return `"${name}" is an alias, but keys allow models by canonical name. Use "${wanted}".`
    return `No loaded provider serves the model "${name}". ${this.#catalog.absence(name) ?? didYouMean(this.#catalog.nearest(name))}`.trim()
  }

  /** The name by which keys allow this model. Undefined if no loaded plugin serves it. */
  #permissionFor(name: string): string | undefined {
    const model = this.#catalog.resolve(name)
    if (model) return model.id
    const slash = name.indexOf('/')
    const [prefix, rest] = slash > 0 ? [name.slice(0, slash), name.slice(slash + 1)] : [undefined, name]
    const listed = prefix === undefined ? undefined : this.#catalog.endpoint(prefix, rest)
    if (listed) return `${prefix}/${listed.model}`
    if (prefix !== undefined && this.#providers.get(prefix)) return name
    const clients = this.#clients.values().filter(client => prefix === undefined || client.provider === prefix)
    const decided = clients.map(client => client.resolve(rest)).find(found => found !== undefined)
    return decided === undefined || prefix === undefined ? decided : `${prefix}/${decided}`
  }

  #provider(id: string): string | undefined {
    if (this.#providers.get(id) || this.#clients.get(id)) return undefined
    const known = new Set([...this.#providers.names(), ...this.#clients.names()])
    return `${this.#catalog.absence(`${id}/`) ?? `No loaded plugin supplies the provider "${id}". ${didYouMean(nearest(id, known))}`}`.trim()
  }
}

function didYouMean(near: readonly string[]): string {
  return near.length > 0 ? `Did you mean ${near.join(', ')}?` : ''
}
