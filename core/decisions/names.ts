import { Permissions } from '../admission/permissions.ts'
import { wire } from '../framework/container.ts'
import { Catalog, type Endpoint } from '../contracts/catalog.ts'
import type { DecisionClient, DecisionRequest } from '../contracts/decision.ts'
import type { Provider } from '../contracts/provider.ts'
import type { Caller } from '../contracts/run-context.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { DecisionClients, Providers } from '../framework/extension-points.ts'
import { nearest } from '../foundation/nearest.ts'
import type { Contender } from '../call/attempts/contender.ts'
import type { Registry } from '../framework/registry.ts'
import { unlistedEndpoint } from '../routing/provider-capabilities.ts'
import { checkWellFormed } from '../routing/model-name.ts'
import { own, wording, type Wording } from '../foundation/wording.ts'

/** A decision model and the client that serves it. */
export interface DecisionCandidate extends Contender {
  readonly client: DecisionClient
  /** The versioned id, without the provider prefix. */
  readonly model: string
  /** The questions of each part that the request is sent in. Absent: it is sent as a whole. */
  readonly parts?: readonly DecisionRequest['questions'][]
}

const maxAdvised = 5

/** The calls have prices of their own. */
const free = { input: 0, output: 0 } as const

/** Resolves the names of decision models: docs/protocol/decisions.md#names. */
export class DecisionNames {
  readonly #clients: Registry<DecisionClient>
  readonly #inOrder: readonly DecisionClient[]
  readonly #providers: Registry<Provider>
  readonly #catalog: Catalog
  readonly #permissions: Permissions

  static {
    wire(this, [DecisionClients, Providers, Catalog, Permissions])
  }

  constructor(clients: Registry<DecisionClient>, providers: Registry<Provider>, catalog: Catalog, permissions: Permissions) {
    this.#clients = clients
    this.#inOrder = clients.values()
    this.#providers = providers
    this.#catalog = catalog
    this.#permissions = permissions
  }

  /** The candidates that the caller may use, in plugin order: at least one. Throws 400, 402, or 403. */
  candidates(name: string, caller: Caller): readonly DecisionCandidate[] {
    checkWellFormed(name, 'model')
    const found = this.#named(name)
    if (found.length === 0) {
      const judged = this.#judged(name)
      // The permission is checked when the model is asked.
      if (judged.length > 0) return judged
      throw this.#unknown(name)
    }
    const endpoints = this.#permissions.permitted(
      found.map(({ endpoint }) => endpoint),
      caller,
    )
    return found.filter(({ endpoint }) => endpoints.includes(endpoint))
  }

  /** True if a decision model has this name. */
  isKnown(name: string): boolean {
    return name.isWellFormed() && (this.#named(name).length > 0 || this.#judged(name).length > 0)
  }

  #named(name: string): readonly DecisionCandidate[] {
    const { prefix, rest } = split(name)
    const client = prefix === undefined ? undefined : this.#clients.get(prefix)
    const prefixed = client ? this.#candidate(client, rest) : []
    return prefixed.length > 0 ? prefixed : this.#inOrder.flatMap(each => (each.prefixOnly ? [] : this.#candidate(each, name)))
  }

  /** For a model that generates text, the clients that ask any. */
  #judged(name: string): readonly DecisionCandidate[] {
    const judges = this.#inOrder.filter(client => client.judges)
    if (judges.length === 0 || !this.#generates(name)) return []
    return judges.map(client => {
      const { provider: id } = client
      const endpoint: Endpoint = { ...unlistedEndpoint({ id }, name), kind: 'decision', price: free }
      return { client, model: name, endpoint, provider: { id } }
    })
  }

  #candidate(client: DecisionClient, name: string): readonly DecisionCandidate[] {
    const model = client.resolve(name)
    if (model === undefined) return []
    const { provider: id, credentials } = client
    const listed = this.#catalog.endpoint(id, model)
    const endpoint: Endpoint = listed?.kind === 'decision' ? listed : { ...(listed ?? unlistedEndpoint({ id }, model)), kind: 'decision' }
    return [{ client, model, endpoint, provider: { id, ...(credentials && { credentials }) } }]
  }

  #unknown(name: string): GatewayError {
    const { prefix, rest } = split(name)
    const elsewhere = prefix === undefined ? [] : this.#inOrder.filter(client => client.resolve(rest) !== undefined)
    if (elsewhere.length > 0) {
      const meant = elsewhere.some(({ prefixOnly }) => !prefixOnly) ? elsewhere.filter(({ prefixOnly }) => !prefixOnly) : elsewhere
      const right = meant.map(({ provider }) => `${provider}/${rest}`).join(' or ')
      return refusal(wording`"${prefix!}" is not a provider of the model "${rest}". Write ${right}.`)
    }
    if (this.#generates(name))
      return refusal(wording`The model "${name}" is not a decision model. Use POST /v1/responses for it. ${own(this.#advice(rest))}`)
    return refusal(wording`The decision model "${name}" does not exist here. ${own(this.#advice(rest))}`)
  }

  #generates(name: string): boolean {
    const { prefix, rest } = split(name)
    if (name === 'auto' || this.#catalog.resolve(name)) return true
    if (prefix === undefined) return false
    // A provider that only generates accepts any model name.
    return this.#catalog.endpoint(prefix, rest) !== undefined || (this.#providers.get(prefix) !== undefined && !this.#clients.get(prefix))
  }

  #advice(wanted: string): string {
    const known = this.#known()
    const same = known.filter(name => split(name).rest === wanted)
    const near = same.length > 0 ? same : nearest(wanted, known)
    if (near.length > 0) return `Did you mean ${near.join(', ')}?`
    if (known.length === 0) return 'This gateway has no decision models.'
    return `Decision models here: ${known.slice(0, maxAdvised).join(', ')}.`
  }

  /** Every name of every decision model in the catalog. */
  #known(): readonly string[] {
    return this.#catalog.models().flatMap(({ aliases, endpoints }) =>
      endpoints.flatMap(({ kind, provider, upstreamModel }) => {
        const client = kind === 'decision' ? this.#clients.get(provider) : undefined
        if (!client) return []
        const names = [upstreamModel, ...aliases]
        return client.prefixOnly ? names.map(name => `${provider}/${name}`) : names
      }),
    )
  }
}

function split(name: string): { readonly prefix: string | undefined; readonly rest: string } {
  const slash = name.indexOf('/')
  return slash > 0 ? { prefix: name.slice(0, slash), rest: name.slice(slash + 1) } : { prefix: undefined, rest: name }
}

function refusal(message: Wording): GatewayError {
  return invalidRequest(message, 'model', 'model_not_found')
}
