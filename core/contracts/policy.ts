import type { JsonObject } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { ApiKey } from './key-fields.ts'

/** The fields that a policy can turn on: docs/protocol/keys-and-policy.md. */
export const policyFields = ['zdr', 'logging', 'hipaa', 'redaction'] as const
/** One of `policyFields`. */
export type PolicyField = (typeof policyFields)[number]

/** From strongest to weakest. If several levels enforce a field, the first one wins. */
export const levels = ['org', 'team', 'user', 'key'] as const
/** Who set a field of the policy. */
export type Level = (typeof levels)[number]

/**
 * The settings of one level. Above the key, a setting without `enforced: true` has no effect: the key's own setting applies.
 * `settings` is for the guardrail that enforces the field: see `Guardrail.settingsProblem`.
 */
export type PolicyLayer = {
  readonly [F in PolicyField]?: {
    /** True: the field is on. */
    readonly value: boolean
    /** Default: false. */
    readonly enforced?: boolean
    /** Default: none. */
    readonly settings?: JsonObject
  }
}

/** The policy that applies to a request, with the level that set each field. */
export type Policy = {
  readonly [F in PolicyField]: {
    /** True: the field is on. */
    readonly value: boolean
    /** The level that set it. `key` also if nobody did. */
    readonly source: Level
    /** For the guardrail of the field. */
    readonly settings?: JsonObject
  }
}

/**
 * Supplies the policy of one level above the key. Called for every request, after authentication. Return `undefined` if the level sets
 * nothing. To set a field, return it with `enforced: true`. Anything but a plain object or `undefined`, an unknown field or member, `settings`
 * that are not JSON or that no guardrail of the field takes, a throw, and an answer that takes longer than `timeoutMs` refuse the request with
 * 503. Core copies the object when it first sees it, and caches the copy by identity: return the same object until the policy changes, then
 * another one.
 *
 * A level may have several sources. Core asks all of them, and for each field the strictest value that one of them enforces applies: off for
 * `logging`, on for all others. See `Guardrail.strictestSettings` for their settings.
 */
export interface PolicySource {
  /** The level that it speaks for. */
  readonly level: Exclude<Level, 'key'>
  /**
   * The source returns what the account store has as the policy of the key's account. Where no source of a level does, the admin API does not
   * store enforced policy, and requests below an account that enforces a field are refused. Default: false.
   */
  readonly readsAccounts?: boolean
  /** How long `policy` may take. Default: 2,000. */
  readonly timeoutMs?: number
  /** `key` is frozen. Undefined: the level sets nothing for it. */
  policy(key: ApiKey): Maybe<PolicyLayer | undefined>
}
