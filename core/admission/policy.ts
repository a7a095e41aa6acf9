import { wire } from '../framework/container.ts'
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
import { isObject } from '../foundation/json.ts'
import { describePluginError, Logger } from '../foundation/logger.ts'
import { Guardrails, PolicySources } from '../framework/extension-points.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { Registry } from '../framework/registry.ts'

/** Finds the policy that holds for a key, each field over all levels (docs/protocol/keys-and-policy.md#levels). */
export class PolicyResolver {
  readonly #sources: readonly PolicySource[]
  readonly #pluginOf: (level: Level) => string
  readonly #log: Logger
  /** Fields that something loaded makes good. `logging` is core's own: its strict value is off. */
  readonly #enforced: ReadonlySet<PolicyField>
  /** A key's own policy changes only with the key. */
  readonly #own = new WeakMap<ApiKey, Policy>()

  static {
    wire(this, [PolicySources, Guardrails, Logger])
  }

  constructor(sources: Registry<PolicySource>, guardrails: Registry<Guardrail>, log: Logger) {
    this.#sources = sources.values()
    this.#pluginOf = level => sources.pluginOf(level) ?? level
    this.#log = log
    this.#enforced = new Set<PolicyField>(['logging', ...guardrails.values().flatMap(guardrail => guardrail.enforces)])
  }

  async resolve(key: ApiKey): Promise<Policy> {
    if (this.#sources.length === 0) return this.#ownPolicy(key)
    const layers = new Map<Level, PolicyLayer | undefined>([['key', this.#checkedKey(key)]])
    for (const source of this.#sources) layers.set(source.level, await this.#ask(source, key))
    return resolvePolicy(layers)
  }

  async #ask(source: PolicySource, key: ApiKey): Promise<PolicyLayer | undefined> {
    const { level } = source
    const plugin = this.#pluginOf(level)
    try {
      const layer = await source.policy(key)
      const problem = layer === undefined ? undefined : layerProblem(layer)
      if (problem === undefined) return layer
      throw new PluginError(plugin, `returned a policy of the ${level} that ${problem}`)
    } catch (cause) {
      this.#log.error('a policy source failed', { level, plugin, key: key.id, ...describePluginError(cause, false) })
      throw unavailable(level, cause)
    }
  }

  #checkedKey({ id, policy }: ApiKey): PolicyLayer {
    const problem = layerProblem(policy)
    if (problem === undefined) return policy
    this.#log.error('the policy of an API key is malformed', { key: id, reason: `the policy of the key ${problem}` })
    throw unavailable('key', undefined)
  }

  #ownPolicy(key: ApiKey): Policy {
    let policy = this.#own.get(key)
    if (!policy) {
      policy = resolvePolicy(new Map([['key', this.#checkedKey(key)]]))
      this.#own.set(key, policy)
    }
    return policy
  }

  /** Fields that a policy turns on and nothing loaded makes good. */
  unenforced(policy: PolicyLayer): readonly PolicyField[] {
    return policyFields.filter(field => policy[field]?.value && !this.#enforced.has(field))
  }

  /** Fails closed: a policy that asks for what nothing loaded enforces refuses the request. */
  check(policy: Policy): void {
    for (const field of policyFields) {
      if (policy[field].value && !this.#enforced.has(field)) {
        throw policyRefusal(
          `The policy of this API key asks for "${field}" (set by the ${policy[field].source}), which no plugin of this gateway enforces. Load a plugin that does, or change the policy.`,
        )
      }
    }
  }
}

/** What is wrong with a layer, as the rest of a sentence; undefined if nothing is. */
function layerProblem(layer: unknown): string | undefined {
  if (!isObject(layer)) return `is not an object`
  for (const [field, setting] of Object.entries(layer)) {
    if (!(policyFields as readonly string[]).includes(field))
      return `has the unknown field "${field.slice(0, 40)}": expected ${policyFields.join(', ')}`
    if (setting === undefined) continue
    if (!isObject(setting) || typeof setting['value'] !== 'boolean' || !isMaybeBoolean(setting['enforced']) || !isSettings(setting['settings']))
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

/** The request is refused: without its policy, nobody knows what it may do. */
function unavailable(level: Level, cause: unknown): GatewayError {
  const message = `The policy of the ${level} is not available. Try again.`
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
}

/** Where levels enforce a field, the highest wins; otherwise the key's own setting holds, and off when it has none. */
export function resolvePolicy(layers: ReadonlyMap<Level, PolicyLayer | undefined>): Policy {
  const resolved: Partial<Record<PolicyField, Policy[PolicyField]>> = {}
  for (const field of policyFields) {
    const source = levels.find(level => layers.get(level)?.[field]?.enforced === true) ?? 'key'
    const setting = layers.get(source)?.[field]
    resolved[field] = { value: setting?.value ?? false, source, ...(setting?.settings && { settings: setting.settings }) }
  }
  return resolved as Policy
}
