import type { Level, PolicyField, PolicyLayer } from '../../policy.ts'

/** A key as the admin API shows it. */
export interface Key {
  readonly id: string
  readonly name: string
  readonly org: string
  readonly team: string | null
  readonly user: string | null
  readonly policy: PolicyLayer
  /** Null if the policy is not available: `policy_error` says why. */
  readonly policy_source: Readonly<Record<PolicyField, Level>> | null
  readonly policy_error: string | null
  readonly models: readonly string[] | null
  readonly providers: readonly string[] | null
  readonly guardrails: readonly string[]
  readonly allow_unpriced: boolean
  readonly spend_cap_usd: number | null
  readonly spend_period: Period | null
  readonly limits: readonly Limit[]
  readonly max_concurrency: number | null
  readonly expires_at: string | null
  readonly disabled: boolean
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: string
  readonly previous_valid_until: string | null
  readonly last_used_at: string | null
  readonly spent_usd: number
  readonly warnings?: readonly string[]
}

export type Period = 'day' | 'week' | 'month'
export type Limit = { readonly window_s: number; readonly tokens?: number; readonly requests?: number }

/** A key that was just created or rotated: the only time that its text is shown. */
export type ShownKey = Key & { readonly key: string }

export type KeyStatus = 'active' | 'disabled' | 'expired'

export function statusOf({ disabled, expires_at: expires }: Key): KeyStatus {
  if (disabled) return 'disabled'
  return expires !== null && Date.parse(expires) <= Date.now() ? 'expired' : 'active'
}
