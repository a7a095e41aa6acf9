import { wire } from '../framework/container.ts'
import type { AccountLevel, AccountPolicy } from '../contracts/account-store.ts'
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
import { freezeDeeply } from '../foundation/freeze.ts'
import { policyRefusal } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { Logger } from '../foundation/logger.ts'
import { Guardrails, PolicySources } from '../framework/extension-points.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { Registry } from '../framework/registry.ts'
import type { KeyAccounts } from './accounts.ts'
import { AskedSources, unavailablePolicy, type Layers } from './asked-sources.ts'
import { readLayer, type LayerRules } from './read-layer.ts'

/** Resolves the policy of a key from all levels, field by field (docs/protocol/keys-and-policy.md#levels). */
export class PolicyResolver {
  readonly #sources: AskedSources
  readonly #log: Logger
  /** Fields that a loaded plugin enforces, and `logging`, which core enforces: its strict value is off. */
  readonly #enforced: ReadonlySet<PolicyField>
  /** Until the key changes, or a source returns another layer. */
  readonly #known = new WeakMap<ApiKey, KnownPolicy>()

  /** Copies of the policies of keys. */
  readonly #ownLayers = new WeakMap<PolicyLayer, AccountPolicy>()

  static {
    wire(this, [PolicySources, Guardrails, Logger])
  }

  constructor(sources: Registry<PolicySource>, guardrails: Registry<Guardrail>, log: Logger) {
    this.#sources = new AskedSources(sources, guardrails, log)
    this.#log = log
    this.#enforced = new Set<PolicyField>(['logging', ...guardrails.values().flatMap(guardrail => guardrail.enforces)])
  }

  /** Synchronous if every source is. */
  resolve(key: ApiKey): Maybe<Policy> {
    const known = this.#known.get(key)
    const layers = this.#sources.ask(key, known?.above)
    if (isPending(layers)) return layers.then(above => this.#resolved(key, above))
    return known && known.above === layers ? known.policy : this.#resolved(key, layers)
  }

  /** For whoever shows or changes policies. */
  async effective(key: ApiKey): Promise<EffectivePolicy> {
    const above = await this.#sources.ask(freezeDeeply(key))
    const policy = this.#resolved(key, above)
    const levels = this.#byLevel(key, above)
    const lockedBy = Object.fromEntries(policyFields.map(field => [field, policy[field].source === 'key' ? null : policy[field].source]))
    return { policy, levels, lockedBy: lockedBy as EffectivePolicy['lockedBy'] }
  }

  /** Reads the layers, and resolves them. */
  #resolved(key: ApiKey, above: Layers): Policy {
    const known = this.#known.get(key)
    if (known && isSame(known.above, above)) return known.policy
    const policy = resolvePolicy(this.#byLevel(key, above))
    this.#known.set(key, { above, policy })
    return policy
  }

  #byLevel(key: ApiKey, above: Layers): ReadonlyMap<Level, AccountPolicy | undefined> {
    return new Map([...this.#sources.byLevel(above), ['key', this.#ofKey(key)]])
  }

  #ofKey({ id, policy }: ApiKey): AccountPolicy {
    const known = this.#ownLayers.get(policy)
    if (known) return known
    const read = readLayer(policy, rulesOfKeys)
    if (typeof read !== 'string') {
      this.#ownLayers.set(policy, read)
      return read
    }
    this.#log.error('the policy of an API key is malformed', { key: id, reason: `the policy of the key ${read}` })
    throw unavailablePolicy('key', undefined)
  }

  /** True if a loaded source reads the policies of the accounts of this level. */
  readsAccounts(level: AccountLevel): boolean {
    return this.#sources.readsAccounts(level)
  }

  /** Fails closed: throws a refusal if an account enforces a field, and no loaded source reads the policies of its level. */
  checkSupplied({ org, team, user }: KeyAccounts): void {
    for (const account of [org, team, user]) {
      if (!account || this.#sources.readsAccounts(account.level)) continue
      const field = policyFields.find(each => account.policy[each]?.enforced)
      if (field !== undefined)
        throw policyRefusal(
          wording`The ${own(account.level)} of this API key enforces "${own(field)}", but no plugin of this gateway reads the policies of that level. Load a plugin that does, such as account-policies.`,
          account.level,
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
          wording`The policy of this API key turns on "${own(field)}" (set by the ${own(policy[field].source)}), but no plugin of this gateway enforces it. Load a plugin that does, or change the policy.`,
          policy[field].source,
        )
      }
    }
  }
}

const rulesOfKeys: LayerRules = { saysMaker: false, takesSettings: () => true }

interface KnownPolicy {
  readonly above: Layers
  readonly policy: Policy
}

/** Sources that keep their layers return the same object each time. */
function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index])
}

/**
 * For each field, the highest level that enforces it wins. A lock that the organization made itself wins only where no level has another one:
 * otherwise the organization could overrule the operator's lock of a team or user. If none enforces it, the key's own setting applies; the
 * default is off.
 */
export function resolvePolicy(layers: ReadonlyMap<Level, AccountPolicy | undefined>): Policy {
  const resolved: Partial<Record<PolicyField, Policy[PolicyField]>> = {}
  for (const field of policyFields) {
    const enforcing = levels.filter(level => layers.get(level)?.[field]?.enforced === true)
    const source = enforcing.find(level => layers.get(level)?.[field]?.setBy !== 'org') ?? enforcing[0] ?? 'key'
    const setting = layers.get(source)?.[field]
    resolved[field] = { value: setting?.value ?? false, source, ...(setting?.settings && { settings: setting.settings }) }
  }
  return freezeDeeply(resolved as Policy)
}
