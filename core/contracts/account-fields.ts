import type { ShownObject, WithAbsent } from './field-types.ts'
import { fieldsOf, idSchema, type Fields, type Json } from './fields.ts'
import type { AccountPolicy } from './account-store.ts'
import { keyFields } from './key-fields.ts'
import type { PolicyLayer } from './policy.ts'

/** Everything that an organization, a team or a user has. */
export const accountFields = {
  level: { type: 'text', choices: ['org', 'team', 'user'], shownAs: 'object', about: 'The level of the account.' },
  id: {
    type: 'text',
    set: 'once',
    schema: idSchema,
    about: 'The id, unique among the accounts of this level in the organization. Default: a new one.',
  },
  name: { type: 'text', set: 'always', about: 'A name for people.' },
  org: { type: 'text', set: 'once', schema: idSchema, levels: ['team', 'user'], about: 'The organization.' },
  team: {
    type: 'text',
    optional: true,
    set: 'always',
    schema: idSchema,
    levels: ['user'],
    about: 'The team of the user. The keys of the user move, too.',
  },
  policy: {
    type: 'json' as Json<AccountPolicy, PolicyLayer>,
    set: 'always',
    about: 'The settings for each field of the policy. Enforced ones are locked on all keys below.',
  },
  policySetBy: {
    type: 'json' as Json<Readonly<Record<string, 'all' | 'org'>>>,
    computed: true,
    about: 'Who set each enforced field: a token for all organizations, or one of this organization.',
  },
  spendCapUsd: { ...keyFields.spendCapUsd, about: 'The most that all its keys may spend, in US dollars.' },
  spendPeriod: keyFields.spendPeriod,
  spentUsd: { type: 'number', optional: true, computed: true, about: 'US dollars in the period of the cap. Missing without a cap.' },
  heldUsd: keyFields.heldUsd,
  leftUsd: keyFields.leftUsd,
  hasCredit: {
    type: 'mark',
    optional: true,
    shownAs: null,
    about: 'Organizations only: requests are charged to its credit in the ledger. True once it has a credit entry.',
  },
  creditBalanceUsd: {
    type: 'number',
    optional: true,
    computed: true,
    levels: ['org'],
    about: 'The credit that is left, in US dollars. Missing if it never had any.',
  },
  creditHeldUsd: {
    type: 'number',
    optional: true,
    computed: true,
    levels: ['org'],
    about: 'US dollars of the credit that requests under way hold. Missing if it never had any.',
  },
  metadata: keyFields.metadata,
  createdAt: keyFields.createdAt,
} as const satisfies Fields

/** An organization, a team or a user. Keys name their accounts by id (`org`, `team`, `user`). An organization has its own id as `org`. */
export interface Account extends WithAbsent<typeof accountFields> {}

/** An account as the admin API shows it. */
export interface ShownAccount extends ShownObject<typeof accountFields> {}

/** The fields that the admin API shows for accounts of a level. */
export function accountFieldsAt(level: Account['level']): typeof accountFields {
  return fieldsOf(accountFields, ({ levels }) => levels?.includes(level) ?? true) as typeof accountFields
}
