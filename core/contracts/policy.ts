import type { JsonObject, Maybe } from '../foundation/json.ts'
import type { ApiKey } from './key-store.ts'

export const policyFields = ['zdr', 'logging', 'hipaa', 'redaction'] as const
export type PolicyField = (typeof policyFields)[number]

/** From strongest to weakest. If several levels enforce a field, the first one wins. */
export const levels = ['org', 'team', 'user', 'key'] as const
export type Level = (typeof levels)[number]

/**
 * The settings of one level. Above the key, a setting without `enforced: true` has no effect: the key's own setting applies.
 * `settings` is for the guardrail that enforces the field: see `Guardrail.settingsProblem`.
 */
export type PolicyLayer = {
  readonly [F in PolicyField]?: { readonly value: boolean; readonly enforced?: boolean; readonly settings?: JsonObject }
}

/** The policy that applies to a request, with the level that set each field. */
export type Policy = { readonly [F in PolicyField]: { readonly value: boolean; readonly source: Level; readonly settings?: JsonObject } }

/**
 * Supplies the policy of one level above the key. Called for every request, after authentication. Return `undefined` if the level sets
 * nothing. To set a field, return it with `enforced: true`. A throw, an unknown field or a malformed setting refuses the request with 503.
 */
export interface PolicySource {
  readonly level: Exclude<Level, 'key'>
  policy(key: ApiKey): Maybe<PolicyLayer | undefined>
}
