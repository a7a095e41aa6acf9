import { policyFields, type AdminServices, type ApiKey, type JsonObject } from '../../../core/index.ts'
import { time } from './replies.ts'
import type { Stores } from './stores.ts'

/** Keys as the API shows them: everything except hashes. */
export async function keyObjects(
  { ledger, records }: Stores,
  gateway: AdminServices,
  keys: readonly ApiKey[],
): Promise<readonly JsonObject[]> {
  const spent = await ledger.spent(keys.map(({ id, spendPeriod }) => ({ account: `key:${id}`, period: spendPeriod })))
  const use = await records.keyUse(keys.map(({ id }) => id))
  return await Promise.all(
    keys.map(async (key, index) => {
      const { policy } = await gateway.effectivePolicy(key)
      const used = use.get(key.id)
      return {
        object: 'key',
        ...settingsOf(key),
        policy_source: Object.fromEntries(policyFields.map(field => [field, policy[field].source])),
        created_at: time(key.createdAt),
        previous_valid_until: key.previous ? time(Math.max(...key.previous.map(({ validUntil }) => validUntil))) : null,
        last_used_at: used ? time(used.lastUsedAt) : null,
        spent_usd: key.spendCapUsd === undefined ? (used?.costUsd ?? 0) : spent[index]!,
      }
    }),
  )
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
