// Facts about policy for the pages of keys and accounts.

export const policyFields = ['zdr', 'logging', 'hipaa', 'redaction'] as const
export type PolicyField = (typeof policyFields)[number]
export type Level = 'org' | 'team' | 'user' | 'key'

export interface PolicySetting {
  readonly value: boolean
  readonly enforced?: boolean
  readonly settings?: Readonly<Record<string, unknown>>
}

/** The settings of one level. */
export type PolicyLayer = { readonly [F in PolicyField]?: PolicySetting }

/** The effective policy of a key, as in `GET keys/{id}/policy`. */
export type EffectivePolicy = {
  readonly [F in PolicyField]: {
    readonly value: boolean
    readonly settings?: Readonly<Record<string, unknown>>
    readonly policy_source: Level
    readonly locked_by: Exclude<Level, 'key'> | null
  }
}

export const policyTexts: Readonly<Record<PolicyField, { readonly name: string; readonly effect: string }>> = {
  zdr: { name: 'Zero data retention', effect: 'Requests go only to providers with a certified zero-data-retention policy for the model.' },
  logging: {
    name: 'Request logging',
    effect: 'Requests and answers are encrypted and stored. If off, they are never written anywhere.',
  },
  hipaa: { name: 'HIPAA mode', effect: 'Requests go only to providers with a HIPAA agreement for the model.' },
  redaction: { name: 'Redaction', effect: 'Personal data and secrets are removed before anything leaves the gateway.' },
}

export const levelNames: Readonly<Record<Level, string>> = { org: 'organization', team: 'team', user: 'user', key: 'key' }

/** The fields that differ, as `PATCH` takes them. Undefined if none does. */
export function changedFields(before: PolicyLayer, after: PolicyLayer): Readonly<Record<string, PolicySetting | null>> | undefined {
  const changed = policyFields.filter(field => JSON.stringify(after[field]) !== JSON.stringify(before[field]))
  return changed.length > 0 ? Object.fromEntries(changed.map(field => [field, after[field] ?? null])) : undefined
}

/** The locks of the levels above a key. The strongest level decides each field. */
export function locksOf(levels: readonly { readonly level: Exclude<Level, 'key'>; readonly policy: PolicyLayer | undefined }[]): Locks {
  const found = policyFields.map(field => {
    const locking = levels.find(({ policy }) => policy?.[field]?.enforced)
    return [field, locking && { level: locking.level, value: locking.policy![field]!.value }] as const
  })
  return Object.fromEntries(found.filter(([, lock]) => lock)) as Locks
}

export type Locks = { readonly [F in PolicyField]?: { readonly level: Exclude<Level, 'key'>; readonly value: boolean } }
