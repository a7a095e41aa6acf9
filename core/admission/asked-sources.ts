import pTimeout from 'p-timeout'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { AccountPolicy } from '../contracts/account-store.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import { policyFields, type Level, type PolicyLayer, type PolicySource } from '../contracts/policy.ts'
import { GatewayError, PluginError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import type { Registry, RegistryEntry } from '../framework/registry.ts'
import { askable } from '../foundation/thrown-message.ts'
import { readLayer, type LayerRules } from './read-layer.ts'
import { StrictestLayers } from './strictest-layers.ts'

/** The answers of the sources, in their order. */
export type Layers = readonly (PolicyLayer | undefined)[]

const usualTimeoutMs = 2_000
const none: Layers = []

/** Asks the policy sources, all within their time limits, and merges the answers of the same level. */
export class AskedSources {
  readonly #sources: readonly RegistryEntry<PolicySource>[]
  readonly #strictest: StrictestLayers
  readonly #log: Logger
  /** Each level with its sources, by their position. */
  readonly #levels: ReadonlyMap<Level, readonly number[]>
  /** For each source, the copies of its layers. */
  readonly #copies: readonly WeakMap<PolicyLayer, AccountPolicy>[]
  readonly #rules: readonly LayerRules[]

  constructor(sources: Registry<PolicySource>, guardrails: Registry<Guardrail>, log: Logger) {
    this.#sources = sources.entries()
    this.#strictest = new StrictestLayers(guardrails, log)
    this.#log = log
    this.#levels = Map.groupBy(this.#sources.keys(), index => this.#sources[index]!.contribution.level)
    this.#copies = this.#sources.map(() => new WeakMap())
    const takesSettings = settingsTakers(guardrails)
    this.#rules = this.#sources.map(({ contribution }) => ({ saysMaker: contribution.readsAccounts === true, takesSettings }))
  }

  /** True if a source takes the policies of stored accounts into account. */
  readsAccounts(level: Level): boolean {
    return this.#sources.some(({ contribution }) => contribution.level === level && contribution.readsAccounts === true)
  }

  /** Synchronous if every source is. Returns `known` itself if that is what they say. Throws, or rejects with, a 503. */
  ask(key: ApiKey, known: Layers = none): Maybe<Layers> {
    let layers: Maybe<PolicyLayer | undefined>[] | undefined
    for (let index = 0; index < this.#sources.length; index++) {
      const layer = this.#ask(index, key, known[index])
      if (!layers && index < known.length && layer === known[index]) continue
      layers ??= known.slice(0, index)
      layers.push(layer)
    }
    if (!layers) return known
    return layers.some(isPending) ? Promise.all(layers) : (layers as Layers)
  }

  /** One layer for each level. Throws a 422 or 503 if settings of the same level cannot be united. */
  byLevel(layers: Layers): ReadonlyMap<Level, AccountPolicy | undefined> {
    const read = layers.map((layer, index) => (layer === undefined ? undefined : this.#copies[index]!.get(layer)))
    const united = new Map<Level, AccountPolicy | undefined>()
    for (const [level, indexes] of this.#levels) {
      const found = indexes.map(index => read[index]).filter(layer => layer !== undefined)
      united.set(level, found.length < 2 ? found[0] : this.#strictest.of(level, found))
    }
    return united
  }

  /** `known`: the source's last answer, which was copied then. */
  #ask(index: number, key: ApiKey, known: PolicyLayer | undefined): Maybe<PolicyLayer | undefined> {
    const entry = this.#sources[index]!
    try {
      const layer = entry.contribution.policy(key)
      if (layer === known) return layer
      return isPending(layer) ? this.#inTime(index, key, layer) : this.#copied(index, layer)
    } catch (cause) {
      throw this.#failed(entry, key, cause)
    }
  }

  #inTime(index: number, key: ApiKey, layer: Promise<PolicyLayer | undefined>): Promise<PolicyLayer | undefined> {
    const entry = this.#sources[index]!
    const { timeoutMs = usualTimeoutMs } = entry.contribution
    const late = (): Failed => new Failed(new PluginError(entry.plugin, `took longer than ${timeoutMs} ms`))
    const copying = Promise.resolve(layer)
      .then(found => this.#copied(index, found))
      .catch((cause: unknown) => new Failed(cause))
    const answer = pTimeout(copying, { milliseconds: timeoutMs, fallback: late }).then(found => {
      if (Failed.is(found)) throw this.#failed(entry, key, found.cause)
      return found
    })
    // If another source throws at once, nobody waits for this one.
    answer.catch(() => {})
    return answer
  }

  /** Copies a layer at once: the source may change it. Returns the layer itself. Throws why it is malformed. */
  #copied(index: number, layer: PolicyLayer | undefined): PolicyLayer | undefined {
    const copies = this.#copies[index]!
    if (layer === undefined || copies.has(layer)) return layer
    const copy = readLayer(layer, this.#rules[index]!)
    if (typeof copy !== 'string') {
      copies.set(layer, copy)
      return layer
    }
    const { plugin, contribution } = this.#sources[index]!
    throw new PluginError(plugin, `returned a policy of the ${contribution.level} that ${copy}`)
  }

  #failed({ plugin, contribution: { level } }: RegistryEntry<PolicySource>, key: ApiKey, thrown: unknown): GatewayError {
    const cause = askable(thrown)
    this.#log.error('a policy source failed', { policyLevel: level, plugin, key: key.id, ...describePluginError(cause, false) })
    return unavailablePolicy(level, cause)
  }
}

/** An error that a source threw. In a box, because looking at it may throw, too. */
class Failed {
  readonly #cause: unknown

  constructor(cause: unknown) {
    this.#cause = cause
  }

  get cause(): unknown {
    return this.#cause
  }

  static is(value: PolicyLayer | Failed | undefined): value is Failed {
    return value !== undefined && #cause in value
  }
}

/**
 * True if a field may have settings. Nobody reads the settings of a field that no guardrail enforces, and requests are refused if it is on.
 */
function settingsTakers(guardrails: Registry<Guardrail>): LayerRules['takesSettings'] {
  const taking = policyFields.filter(field => {
    const enforcing = guardrails.values().filter(({ enforces }) => enforces.includes(field))
    return enforcing.some(guardrail => guardrail.settingsProblem) || (enforcing.length === 0 && field !== 'logging')
  })
  return field => taking.includes(field)
}

/** Refuses the request, because its policy is unknown. */
export function unavailablePolicy(level: Level, cause: unknown): GatewayError {
  const message = wording`The policy of the ${own(level)} is not available. Try again.`
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
}
