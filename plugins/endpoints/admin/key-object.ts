import { policyFields, type AdminServices } from '../../../core/admin.ts'
import { GatewayError, type JsonObject } from '../../../core/index.ts'
import type { ApiKey } from '../../../core/stores.ts'
import { time } from './replies.ts'
import type { Stores } from './stores.ts'

/** A key as the API shows it, without its settings. */
export interface KeyFacts {
  readonly policy: JsonObject
  readonly lastUsedAt: number | undefined
  readonly spentUsd: number
}

/** Keys as the API shows them: everything except hashes. */
export async function keyObjects(stores: Stores, gateway: AdminServices, keys: readonly ApiKey[]): Promise<readonly JsonObject[]> {
  const facts = await factsOf(stores, gateway, keys)
  return keys.map((key, index) => keyObject(key, facts[index]!))
}

/** Before a change, ask with what the key will be: nothing may fail once the change is made. */
export async function factsOf({ ledger, records }: Stores, gateway: AdminServices, keys: readonly ApiKey[]): Promise<readonly KeyFacts[]> {
  const spent = await ledger.spent(keys.map(({ id, spendPeriod }) => ({ account: `key:${id}`, period: spendPeriod })))
  const use = await records.keyUse(keys.map(({ id }) => id))
  return await Promise.all(
    keys.map(async (key, index) => {
      const used = use.get(key.id)
      const spentUsd = key.spendCapUsd === undefined ? (used?.costUsd ?? 0) : spent[index]!
      return { policy: await policyFacts(gateway, key), lastUsedAt: used?.lastUsedAt, spentUsd }
    }),
  )
}

export function keyObject(key: ApiKey, { policy, lastUsedAt, spentUsd }: KeyFacts): JsonObject {
  return {
    object: 'key',
    ...settingsOf(key),
    ...policy,
    created_at: time(key.createdAt),
    previous_valid_until: key.previous ? time(Math.max(...key.previous.map(({ validUntil }) => validUntil))) : null,
    last_used_at: lastUsedAt === undefined ? null : time(lastUsedAt),
    spent_usd: spentUsd,
  }
}

/** One organization whose policy is unknown must not hide the keys of all others. */
export async function policyFacts(gateway: AdminServices, key: ApiKey): Promise<JsonObject> {
  try {
    const { policy } = await gateway.effectivePolicy(key)
    return { policy_source: Object.fromEntries(policyFields.map(field => [field, policy[field].source])), policy_error: null }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { policy_source: null, policy_error: error.message }
  }
}

/** What can be set, as the audit trail shows it. */
export function settingsOf(key: ApiKey): JsonObject {
  return {
    id: key.id,
    name: key.name,
    org: key.org,
    team: key.team ?? null,
    user: key.user ?? null,
    policy: key.policy,
    models: key.models ?? null,
    providers: key.providers ?? null,
    guardrails: key.guardrails ?? [],
    allow_unpriced: key.allowUnpriced ?? false,
    spend_cap_usd: key.spendCapUsd ?? null,
    spend_period: key.spendPeriod ?? null,
    limits: (key.limits ?? []).map(({ tokens, requests, windowMs }) => ({
      ...(tokens === undefined ? { requests } : { tokens }),
      window_s: windowMs / 1000,
    })),
    max_concurrency: key.maxConcurrency ?? null,
    expires_at: key.expiresAt === undefined ? null : time(key.expiresAt),
    disabled: key.disabled ?? false,
    metadata: key.metadata ?? {},
  }
}
