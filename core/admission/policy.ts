import { wire } from '../framework/container.ts'
import type { EffectivePolicy } from '../contracts/admin-route.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import {
  levels,
  policyFields,
  type Level,
  type Policy,
  type PolicyField,
  type PolicyLayer,
  type PolicySource,
} from '../contracts/policy.ts'
import { GatewayError, PluginError, policyRefusal } from '../foundation/errors.ts'
import { isObject, isPending, type Maybe } from '../foundation/json.ts'
import { describePluginError, Logger } from '../foundation/logger.ts'
import { Guardrails, PolicySources } from '../framework/extension-points.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { Registry } from '../framework/registry.ts'
import type { KeyAccounts } from './accounts.ts'

/** Resolves the policy of a key from all levels, field by field (docs/protocol/keys-and-policy.md#levels). */
export class PolicyResolver {
  readonly #sources: readonly PolicySource[]
  readonly #pluginOf: (level: Level) => string
  readonly #log: Logger
  /** Fields that a loaded plugin enforces, and `logging`, which core enforces: its strict value is off. */
  readonly #enforced: ReadonlySet<PolicyField>
  /** Until the key changes, or a source returns another layer. */
  readonly #known = new WeakMap<ApiKey, Resolved>()

  static {
    wire(this, [PolicySources, Guardrails, Logger])
  }

  constructor(sources: Registry<PolicySource>, guardrails: Registry<Guardrail>, log: Logger) {
    this.#sources = sources.values()
    this.#pluginOf = level => sources.pluginOf(level) ?? level
    this.#log = log
    this.#enforced = new Set<PolicyField>(['logging', ...guardrails.values().flatMap(guardrail => guardrail.enforces)])
  }

  /** Synchronous if every source is. */
  resolve(key: ApiKey): Maybe<Policy> {
    const known = this.#known.get(key)
    const layers = this.#layers(key, known?.above)
    if (layers instanceof Promise) return layers.then(above => this.#resolved(key, above))
    return known && known.above === layers ? known.policy : this.#resolved(key, layers)
  }

  /** For whoever shows or changes policies. */
  async effective(key: ApiKey): Promise<EffectivePolicy> {
    const above = await this.#layers(key)
    const levels = this.#byLevel(key, above)
    const policy = this.#resolved(key, above)
    const lockedBy = Object.fromEntries(policyFields.map(field => [field, policy[field].source === 'key' ? null : policy[field].source]))
    return { policy, levels, lockedBy: lockedBy as EffectivePolicy['lockedBy'] }
  }

  /** What each source says, in the order of the sources. Returns `known` itself if that is what they say. */
  #layers(key: ApiKey, known: readonly (PolicyLayer | undefined)[] = nothing): Maybe<readonly (PolicyLayer | undefined)[]> {
    let layers: Maybe<PolicyLayer | undefined>[] | undefined
    for (let index = 0; index < this.#sources.length; index++) {
      const layer = this.#ask(this.#sources[index]!, key)
      if (!layers && index < known.length && layer === known[index]) continue
      layers ??= known.slice(0, index)
      layers.push(layer)
    }
    if (!layers) return known
    return layers.some(layer => layer instanceof Promise) ? Promise.all(layers) : (layers as (PolicyLayer | undefined)[])
  }

  #ask(source: PolicySource, key: ApiKey): Maybe<PolicyLayer | undefined> {
    try {
      const layer = source.policy(key)
      return isPending(layer) ? Promise.resolve(layer).catch((cause: unknown) => this.#failed(source, key, cause)) : layer
    } catch (cause) {
      return this.#failed(source, key, cause)
    }
  }

  #failed({ level }: PolicySource, key: ApiKey, cause: unknown): never {
    const plugin = this.#pluginOf(level)
    this.#log.error('a policy source failed', { level, plugin, key: key.id, ...describePluginError(cause, false) })
    throw unavailable(level, cause)
  }

  /** Checks the layers, and resolves them. */
  #resolved(key: ApiKey, above: readonly (PolicyLayer | undefined)[]): Policy {
    const known = this.#known.get(key)
    if (known && isSame(known.above, above)) return known.policy
    this.#sources.forEach((source, index) => {
      const layer = above[index]
      const problem = layer === undefined ? undefined : layerProblem(layer)
      if (problem === undefined) return
      const { level } = source
      this.#failed(source, key, new PluginError(this.#pluginOf(level), `returned a policy of the ${level} that ${problem}`))
    })
    const policy = resolvePolicy(this.#byLevel(key, above))
    this.#known.set(key, { above, policy })
    return policy
  }

  #byLevel(key: ApiKey, above: readonly (PolicyLayer | undefined)[]): ReadonlyMap<Level, PolicyLayer | undefined> {
    return new Map<Level, PolicyLayer | undefined>([
      ...this.#sources.map(({ level }, index) => [level, above[index]] as const),
      ['key', this.#checkedKey(key)],
    ])
  }

  #checkedKey({ id, policy }: ApiKey): PolicyLayer {
    const problem = layerProblem(policy)
    if (problem === undefined) return policy
    this.#log.error('the policy of an API key is malformed', { key: id, reason: `the policy of the key ${problem}` })
    throw unavailable('key', undefined)
  }

  /** Fails closed: throws a refusal if an account enforces a field, and no loaded plugin supplies the policies of its level. */
  checkSupplied({ org, team, user }: KeyAccounts): void {
    for (const account of [org, team, user]) {
      if (!account || this.#sources.some(({ level }) => level === account.level)) continue
      const field = policyFields.find(each => account.policy[each]?.enforced)
      if (field !== undefined)
        throw policyRefusal(
          `The ${account.level} of this API key enforces "${field}", but no plugin of this gateway supplies the policies of that level. Load a plugin that does.`,
        )
    }
  }

  /** Fields that a policy turns on but no loaded plugin enforces. */
  unenforced(policy: PolicyLayer): readonly PolicyField[] {
    return policyFields.filter(field => policy[field]?.value && !this.#enforced.has(field))
  }

  /** Fails closed: throws a refusal if the policy turns on a field that no loaded plugin enforces. */
  check(policy: Policy): void {
    for (const field of policyFields) {
      if (policy[field].value && !this.#enforced.has(field)) {
        throw policyRefusal(
          `The policy of this API key turns on "${field}" (set by the ${policy[field].source}), but no plugin of this gateway enforces it. Load a plugin that does, or change the policy.`,
        )
      }
    }
  }
}

interface Resolved {
  readonly above: readonly (PolicyLayer | undefined)[]
  readonly policy: Policy
}

const nothing: readonly undefined[] = []

/** Sources that keep their layers return the same object each time. */
function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index])
}

/** Why a layer is malformed, as the end of a sentence. Undefined if it is valid. */
function layerProblem(layer: unknown): string | undefined {
  if (!isObject(layer)) return 'is not an object'
  for (const [field, setting] of Object.entries(layer)) {
    if (!(policyFields as readonly string[]).includes(field))
      return `has the unknown field "${field.slice(0, 40)}": expected ${policyFields.join(', ')}`
    if (setting === undefined) continue
    if (
      !isObject(setting) ||
      typeof setting['value'] !== 'boolean' ||
      !isMaybeBoolean(setting['enforced']) ||
      !isSettings(setting['settings'])
    )
      return `has a malformed field "${field}": expected { value: true or false, enforced?: true or false, settings?: an object }`
  }
  return undefined
}

function isMaybeBoolean(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean'
}

function isSettings(value: unknown): boolean {
  return value === undefined || isObject(value)
}

/** Refuses the request, because its policy is unknown. */
function unavailable(level: Level, cause: unknown): GatewayError {
  const message = `The policy of the ${level} is not available. Try again.`
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
}

/** For each field, the highest level that enforces it wins. Otherwise the key's own setting applies; the default is off. */
export function resolvePolicy(layers: ReadonlyMap<Level, PolicyLayer | undefined>): Policy {
  const resolved: Partial<Record<PolicyField, Policy[PolicyField]>> = {}
  for (const field of policyFields) {
    const source = levels.find(level => layers.get(level)?.[field]?.enforced === true) ?? 'key'
    const setting = layers.get(source)?.[field]
    resolved[field] = { value: setting?.value ?? false, source, ...(setting?.settings && { settings: setting.settings }) }
  }
  return resolved as Policy
}
