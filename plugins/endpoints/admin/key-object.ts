import { GatewayError, type JsonObject, type Level, type PolicyField } from '../../../core/index.ts'
import { keyFields, type ApiKey, type KeyLimit } from '../../../core/stores.ts'
import { fieldsOf, policyFields, type AdminServices, type ShownLimit, type StoredOrComputed } from '../../../core/admin.ts'
import { capStandings, type CapStanding } from './cap-standing.ts'
import { shownBy } from './shown-object.ts'
import type { Stores } from './stores.ts'

const forms = { limits: shownLimits }
const shown = shownBy(keyFields, forms)

/** The settings of a key, as the audit trail shows them. */
export const settingsOf: (key: ApiKey) => JsonObject = shownBy(
  fieldsOf(keyFields, ({ set }, name) => set !== undefined || name === 'id') as typeof keyFields,
  forms,
)

/** The facts about a key that the API shows in addition to the stored ones. */
export type KeyFacts = Pick<StoredOrComputed<typeof keyFields>, 'policySource' | 'policyError' | 'lastUsedAt' | keyof CapStanding>

/** Keys as the API shows them: everything except hashes. */
export async function keyObjects(stores: Stores, gateway: AdminServices, keys: readonly ApiKey[]): Promise<readonly JsonObject[]> {
  const facts = await factsOf(stores, gateway, keys)
  return keys.map((key, index) => keyObject(key, facts[index]!))
}

/** Before a change, ask with what the key will be: nothing may fail once the change is made. */
export async function factsOf({ ledger, records }: Stores, gateway: AdminServices, keys: readonly ApiKey[]): Promise<readonly KeyFacts[]> {
  const standings = await capStandings(
    ledger,
    keys.map(key => ({ ...key, account: `key:${key.id}` })),
  )
  const use = await records.keyUse(keys.map(({ id }) => id))
  return await Promise.all(
    keys.map(async (key, index) => {
      const used = use.get(key.id)
      const { spentUsd = used?.costUsd ?? 0, ...standing } = standings[index]!
      return { ...(await policyFacts(gateway, key)), lastUsedAt: used?.lastUsedAt, spentUsd, ...standing }
    }),
  )
}

export function keyObject(key: ApiKey, facts: KeyFacts): JsonObject {
  const previousValidUntil = key.previous && Math.max(...key.previous.map(({ validUntil }) => validUntil))
  return { object: 'key', ...shown({ ...key, ...facts, previousValidUntil }) }
}

/** An organization whose policy is unknown must not hide the keys of all others. */
export async function policyFacts(gateway: AdminServices, key: ApiKey): Promise<Pick<KeyFacts, 'policySource' | 'policyError'>> {
  try {
    const { policy } = await gateway.effectivePolicy(key)
    const sources = policyFields.map(field => [field, policy[field].source] as const)
    return { policySource: Object.fromEntries(sources) as Record<PolicyField, Level>, policyError: undefined }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { policySource: undefined, policyError: error.message }
  }
}

function shownLimits(limits: readonly KeyLimit[]): readonly ShownLimit[] {
  return limits.map(({ tokens, requests, windowMs, exact }) => ({
    ...(tokens === undefined ? { requests } : { tokens }),
    window_s: windowMs / 1000,
    ...(exact && { exact }),
  }))
}
