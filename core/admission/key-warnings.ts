import { wire } from '../framework/container.ts'
import { Catalog } from '../contracts/catalog.ts'
import type { DecisionClient } from '../contracts/decision.ts'
import type { Provider } from '../contracts/provider.ts'
import { DecisionClients, Providers } from '../framework/extension-points.ts'
import { nearest } from '../foundation/nearest.ts'
import type { Registry } from '../framework/registry.ts'
import type { KeySettings } from '../contracts/key-store.ts'
import { isPattern, Permissions } from './permissions.ts'
import { PolicyResolver } from './policy.ts'

/** Policy fields under which only endpoints with a certificate are asked. */
const certified = ['zdr', 'hipaa'] as const

/** Finds settings that would keep a new key from working as intended. */
export class KeyWarnings {
  readonly #catalog: Catalog
  readonly #providers: Registry<Provider>
  readonly #clients: Registry<DecisionClient>
  readonly #permissions: Permissions
  readonly #policies: PolicyResolver

  static {
    wire(this, [Catalog, Providers, DecisionClients, Permissions, PolicyResolver])
  }

  constructor(
    catalog: Catalog,
    providers: Registry<Provider>,
    clients: Registry<DecisionClient>,
    permissions: Permissions,
    policies: PolicyResolver,
  ) {
    this.#catalog = catalog
    this.#providers = providers
    this.#clients = clients
    this.#permissions = permissions
    this.#policies = policies
  }

  of({ models = [], providers = [], policy = {} }: KeySettings): readonly string[] {
    const unenforced = this.#policies.unenforced(policy)
    return [
      ...models.map(name => this.#model(name)),
      ...providers.map(id => this.#provider(id)),
      ...unenforced.map(
        field => `No loaded plugin enforces "${field}", so every request with this key will be refused. Load a plugin that enforces it.`,
      ),
      ...certified.filter(field => policy[field]?.value && !unenforced.includes(field)).map(field => this.#uncertified(field)),
    ].filter(warning => warning !== undefined)
  }

  #model(name: string): string | undefined {
    if (isPattern(name) || this.#permissions.canonicalName(name) !== undefined) return undefined
    return `No loaded provider serves the model "${name}". ${this.#catalog.absence(name) ?? didYouMean(this.#catalog.nearest(name))}`.trim()
  }

  #uncertified(field: (typeof certified)[number]): string | undefined {
    if (this.#catalog.models().some(({ endpoints }) => endpoints.some(endpoint => endpoint[field]))) return undefined
    return `No endpoint in the catalog has "${field}" set, so every request with this key will be refused. List your agreements in a file catalog.`
  }

  #provider(id: string): string | undefined {
    if (isPattern(id) || this.#providers.get(id) || this.#clients.get(id)) return undefined
    const known = new Set([...this.#providers.names(), ...this.#clients.names()])
    return `${this.#catalog.absence(`${id}/`) ?? `No loaded plugin supplies the provider "${id}". ${didYouMean(nearest(id, known))}`}`.trim()
  }
}

function didYouMean(near: readonly string[]): string {
  return near.length > 0 ? `Did you mean ${near.join(', ')}?` : ''
}
