import type { JsonObject, Maybe } from '../foundation/json.ts'
import type { ApiKey } from './key-store.ts'

export const policyFields = ['zdr', 'logging', 'hipaa', 'redaction'] as const
export type PolicyField = (typeof policyFields)[number]

/** From the strongest to the weakest: where several enforce a field, the first wins. */
export const levels = ['org', 'team', 'user', 'key'] as const
export type Level = (typeof levels)[number]

/** What one level says of each field. */
export type PolicyLayer = {
  readonly [F in PolicyField]?: { readonly value: boolean; readonly enforced?: boolean; readonly settings?: JsonObject }
}

/** What holds for a request, and which level said so. */
export type Policy = { readonly [F in PolicyField]: { readonly value: boolean; readonly source: Level; readonly settings?: JsonObject } }

/** Supplies the policy of one level above the key. Called for every request, after the key was found; a throw refuses the request. */
export interface PolicySource {
  readonly level: Exclude<Level, 'key'>
  policy(key: ApiKey): Maybe<PolicyLayer | undefined>
}
