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
import { GatewayError, policyRefusal } from '../foundation/errors.ts'
import { Guardrails, PolicySources } from '../framework/extension-points.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { Registry } from '../framework/registry.ts'

/** Finds the policy that holds for a key, each field over all levels (docs/protocol/keys-and-policy.md#levels). */
export class PolicyResolver {
  readonly #sources: readonly PolicySource[]
  /** Fields that something loaded makes good. `logging` is core's own: its strict value is off. */
  readonly #enforced: ReadonlySet<PolicyField>
  /** A key's own policy changes only with the key. */
  readonly #own = new WeakMap<ApiKey, Policy>()

  static {
    wire(this, [PolicySources, Guardrails])
  }

  constructor(sources: Registry<PolicySource>, guardrails: Registry<Guardrail>) {
    this.#sources = sources.values()
    this.#enforced = new Set<PolicyField>(['logging', ...guardrails.values().flatMap(guardrail => guardrail.enforces)])
  }

  async resolve(key: ApiKey): Promise<Policy> {
    if (this.#sources.length === 0) return this.#ownPolicy(key)
    const layers = new Map<Level, PolicyLayer | undefined>([['key', key.policy]])
    for (const source of this.#sources) layers.set(source.level, await ask(source, key))
    return resolvePolicy(layers)
  }

  #ownPolicy(key: ApiKey): Policy {
    let policy = this.#own.get(key)
    if (!policy) {
      policy = resolvePolicy(new Map([['key', key.policy]]))
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

async function ask(source: PolicySource, key: ApiKey): Promise<PolicyLayer | undefined> {
  try {
    return await source.policy(key)
  } catch (cause) {
    const message = `The policy of the ${source.level} cannot be looked up at the moment. Try again.`
    throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
  }
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
