import { Catalog, type Endpoint } from '../contracts/catalog.ts'
import type { DecisionClient } from '../contracts/decision.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import type { Provider } from '../contracts/provider.ts'
import type { Caller } from '../contracts/run-context.ts'
import type { FailureReason } from '../contracts/failure-reason.ts'
import { GatewayError } from '../foundation/errors.ts'
import { own, wording, type Own, type Wording } from '../foundation/wording.ts'
import { wire } from '../framework/container.ts'
import { DecisionClients, Providers } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'

type Test = (name: string) => boolean
type ModelTest = (endpoint: Endpoint) => boolean

/** The compiled permissions of one key. Valid while the catalog's models are the same. */
interface Allowed {
  readonly models: ModelTest | undefined
  readonly providers: Test | undefined
  readonly catalog: readonly unknown[]
}

/** Decides which models and providers a key may use. */
export class Permissions {
  readonly #catalog: Catalog
  readonly #providers: Registry<Provider>
  readonly #clients: Registry<DecisionClient>
  readonly #allowed = new WeakMap<ApiKey, Allowed>()

  static {
    wire(this, [Catalog, Providers, DecisionClients])
  }

  constructor(catalog: Catalog, providers: Registry<Provider>, clients: Registry<DecisionClient>) {
    this.#catalog = catalog
    this.#providers = providers
    this.#clients = clients
  }

  allows(caller: Caller, endpoint: Endpoint): boolean {
    const { models, providers } = this.#allowedBy(caller.key)
    return (!models || models(endpoint)) && (!providers || providers(endpoint.provider)) && allowsPrice(caller, endpoint)
  }

  /**
   * The endpoints that the caller may use. If there are none, throws a 403, or a 402 if only an unknown price prevents it. `name`: what the
   * request names.
   */
  permitted(endpoints: readonly Endpoint[], caller: Caller, name?: string): readonly Endpoint[] {
    const { key } = caller
    if (!key.models && !key.providers && !caller.spending) return endpoints
    const { models, providers } = this.#allowedBy(key)
    const isAuto = name === 'auto'
    const byModel = models ? endpoints.filter(models) : endpoints
    if (byModel.length === 0)
      throw forbidden(
        'model_not_allowed',
        isAuto
          ? wording`"auto" cannot choose any model for this API key. ${mayUse(key.models!)} ${own(this.#adviceWithin(models!))}`
          : wording`This API key may not use the model "${nameOf(endpoints[0]!)}". ${mayUse(key.models!)}`,
      )
    const byProvider = providers ? byModel.filter(({ provider }) => providers(provider)) : byModel
    if (byProvider.length === 0)
      throw forbidden(
        'provider_not_allowed',
        isAuto
          ? wording`"auto" cannot choose any model at the providers of this API key. ${mayUse(key.providers!)} Let it use other providers.`
          : wording`This API key may not use the provider "${own(byModel[0]!.provider)}". ${mayUse(key.providers!)}`,
      )
    const priced = byProvider.filter(endpoint => allowsPrice(caller, endpoint))
    if (priced.length === 0) {
      const unpriced = isAuto
        ? wording`no price is known of a model that "auto" may choose`
        : wording`the price of "${nameOf(byProvider[0]!)}" is unknown`
      const message = wording`This API key has a spend cap or uses prepaid credit, but ${unpriced}. Add a price to the catalog, or let the key use unpriced models.`
      const [cap] = caller.spending!.caps
      const reason: FailureReason = cap ? { kind: 'cap', level: cap.level } : { kind: 'credit', level: 'org' }
      throw new GatewayError({ status: 402, type: 'insufficient_credits', code: 'insufficient_credits', message, reason })
    }
    return priced
  }

  /** The canonical name of a model: `model`, or `provider/model` if the name has a prefix. Undefined if no loaded plugin serves it. */
  canonicalName(name: string): string | undefined {
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

  /** For a key whose models `auto` does not choose from. */
  #adviceWithin(models: ModelTest): string {
    const isAnyServed = this.#catalog.models().some(({ endpoints }) => endpoints.some(models))
    return isAnyServed ? 'Name one of them, or let the key use other models.' : 'None of them is served here. Let the key use other models.'
  }

  #allowedBy(key: ApiKey): Allowed {
    const known = this.#allowed.get(key)
    const catalog = this.#catalog.models()
    // An alias may mean another model in a new catalog. Patterns are compared with canonical names only, so that no alias gets around them.
    if (known?.catalog === catalog) return known
    const models =
      key.models && modelTestOf(key.models.flatMap(name => (isPattern(name) ? name : [name, this.canonicalName(name) ?? name])))
    const allowed = { models, providers: key.providers && testOf(key.providers), catalog }
    this.#allowed.set(key, allowed)
    return allowed
  }
}

function mayUse(names: readonly string[]): Wording {
  return wording`It may use: ${own(names.join(', ') || 'none')}.`
}

/** Callers can make up the names of models that no catalog lists. */
function nameOf({ model, listed }: Endpoint): Own | string {
  return listed ? own(model) : model
}

function allowsPrice({ key: { allowUnpriced }, spending }: Caller, { price }: Endpoint): boolean {
  return !spending || allowUnpriced === true || price !== undefined
}

export function isPattern(name: string): boolean {
  return name.includes('*')
}

/** True if a name is one of these, or matches one with `*`, which stands for any characters. */
export function testOf(names: readonly string[]): Test {
  const exact = new Set(names.filter(name => !isPattern(name)))
  const patterns = names.filter(isPattern).map(pattern => pattern.split('*'))
  return name => exact.has(name) || patterns.some(pieces => matches(name, pieces))
}

/** A pattern without a slash is for names of models: `open*` must not allow every model of a provider `openai`. */
function modelTestOf(names: readonly string[]): ModelTest {
  const byName = testOf(names)
  const byPair = testOf(names.filter(name => !isPattern(name) || name.includes('/')))
  return ({ model, provider }) => byName(model) || byPair(`${provider}/${model}`)
}

/** Looks for the pieces between the stars in their order: linear, unlike a regular expression with many stars. */
function matches(name: string, pieces: readonly string[]): boolean {
  const [first = '', ...others] = pieces
  const last = others.pop() ?? ''
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  const end = name.length - last.length
  let from = first.length
  for (const piece of others) {
    const at = name.indexOf(piece, from)
    if (at < 0 || at + piece.length > end) return false
    from = at + piece.length
  }
  return true
}

function forbidden(code: string, message: Wording): GatewayError {
  const reason = { kind: 'permission', level: 'key' } as const
  return new GatewayError({ status: 403, type: 'permission_error', code, message, param: 'model', reason })
}
