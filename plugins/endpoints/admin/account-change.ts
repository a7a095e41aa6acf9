import type { PolicyLayer } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import { accountFields, accountLevels, type Account, type AccountChange, type AccountLevel, type Field } from '../../../core/stores.ts'
import { fieldsOf, type Admin, type BodyOf } from '../../../core/admin.ts'
import { changedMembers } from './changed-members.ts'
import { bodySchema } from './field-schemas.ts'
import { metadataSchema } from './member-schemas.ts'
import { policyChangedBy } from './operator-locks.ts'
import { policySchema } from './policy-schema.ts'

/** The body of `POST` and `PATCH`. */
export interface AccountBody extends Omit<BodyOf<typeof accountFields>, 'policy'> {
  readonly policy?: Readonly<Record<string, PolicyLayer['zdr'] | null>>
}

const ownSchemas = { policy: policySchema('account'), metadata: metadataSchema }
const changeable = fieldsOf(accountFields, ({ set }) => set === 'always')

export const accountChangeSchemas = byLevel(level =>
  bodySchema(
    fieldsOf(changeable, field => isKnownAt(level, field)),
    ownSchemas,
  ),
)
export const newAccountSchemas = byLevel(level => {
  const fields = fieldsOf(accountFields, field => field.set !== undefined && isKnownAt(level, field))
  return bodySchema(fields, ownSchemas, level === 'org' ? ['name'] : ['name', 'org'])
})

export const checkChange = byLevel(level => bodyValidator(accountChangeSchemas[level]))
export const checkNew = byLevel(level => bodyValidator(newAccountSchemas[level]))

/** True if the API knows the field of accounts of this level. */
export function isKnownAt(level: AccountLevel, { levels }: Field): boolean {
  return levels === undefined || levels.includes(level)
}

export function byLevel<T>(of: (level: AccountLevel) => T): Readonly<Record<AccountLevel, T>> {
  return Object.fromEntries(accountLevels.map(level => [level, of(level)])) as Record<AccountLevel, T>
}

/** Only the members that the body names. Throws a 403 if this caller may not change the policy so. */
export function accountChange(admin: Admin, account: Pick<Account, 'policy'>, body: AccountBody): AccountChange {
  return changedMembers(changeable, body, {
    policy: (policy: NonNullable<AccountBody['policy']>) => policyChangedBy(admin, account.policy, policy),
  })
}
