import type { Admin } from '../../../core/admin.ts'
import type { JsonObject, PolicyLayer } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import type { Account, AccountChange, AccountLevel, SpendPeriod } from '../../../core/stores.ts'
import { idSchema, metadataSchema, nameSchema, spendCapSchema, spendPeriodSchema } from './member-schemas.ts'
import { policyChangedBy } from './operator-locks.ts'
import { policySchema } from './policy-schema.ts'

/** The body of `POST` and `PATCH`. */
export interface AccountBody {
  readonly id?: string
  readonly name?: string
  readonly org?: string
  readonly team?: string | null
  readonly policy?: Readonly<Record<string, PolicyLayer['zdr'] | null>>
  readonly spend_cap_usd?: number | null
  readonly spend_period?: SpendPeriod | null
  readonly metadata?: Readonly<Record<string, string>> | null
}

const changeable = {
  name: nameSchema,
  policy: policySchema('account'),
  spend_cap_usd: spendCapSchema,
  spend_period: spendPeriodSchema,
  metadata: metadataSchema,
}

const teamSchema = { ...idSchema, type: ['string', 'null'] }

export const accountChangeSchemas: Readonly<Record<AccountLevel, JsonObject>> = {
  org: accountChangeOf({}),
  team: accountChangeOf({}),
  user: accountChangeOf({ team: { ...teamSchema, description: "The keys of the user go along. Null: they leave the user's team." } }),
}

export const newAccountSchemas: Readonly<Record<AccountLevel, JsonObject>> = {
  org: newAccount({}),
  team: newAccount({ org: idSchema }, ['org']),
  user: newAccount({ org: idSchema, team: teamSchema }, ['org']),
}

function accountChangeOf(more: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, properties: { ...more, ...changeable } }
}

function newAccount(more: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    type: 'object',
    required: ['name', ...required],
    additionalProperties: false,
    properties: { id: { ...idSchema, description: 'Default: a new one.' }, ...more, ...changeable },
  }
}

export const checkChange = {
  org: bodyValidator(accountChangeSchemas.org),
  team: bodyValidator(accountChangeSchemas.team),
  user: bodyValidator(accountChangeSchemas.user),
}
export const checkNew = {
  org: bodyValidator(newAccountSchemas.org),
  team: bodyValidator(newAccountSchemas.team),
  user: bodyValidator(newAccountSchemas.user),
}

/** Only the members that the body names. Throws a 403 if this caller may not change the policy so. */
export function accountChange(admin: Admin, account: Pick<Account, 'policy'>, body: AccountBody): AccountChange {
  const { name, team, policy, spend_cap_usd: cap, spend_period: period, metadata } = body
  return {
    ...(name !== undefined && { name }),
    ...(team !== undefined && { team: team ?? undefined }),
    ...(policy !== undefined && { policy: policyChangedBy(admin, account.policy, policy) }),
    ...(cap !== undefined && { spendCapUsd: cap ?? undefined }),
    ...(period !== undefined && { spendPeriod: period ?? undefined }),
    ...(metadata !== undefined && { metadata: metadata ?? undefined }),
  }
}
