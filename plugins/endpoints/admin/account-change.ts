import type { PolicyLayer } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import {
  accountFields,
  accountFieldsAt,
  accountLevels,
  type Account,
  type AccountChange,
  type AccountLevel,
  type Field,
} from '../../../core/stores.ts'
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
const isSettable = ({ set }: Field): boolean => set !== undefined
const settable = fieldsOf(accountFields, isSettable)

export const accountChangeSchemas = byLevel(level =>
  bodySchema(
    fieldsOf(accountFieldsAt(level), ({ set }) => set === 'always'),
    ownSchemas,
  ),
)
export const newAccountSchemas = byLevel(level => {
  const fields = fieldsOf(accountFieldsAt(level), isSettable)
  return bodySchema(fields, ownSchemas, level === 'org' ? ['name'] : ['name', 'org'])
})

export const checkChange = byLevel(level => bodyValidator(accountChangeSchemas[level]))
export const checkNew = byLevel(level => bodyValidator(newAccountSchemas[level]))

export function byLevel<T>(of: (level: AccountLevel) => T): Readonly<Record<AccountLevel, T>> {
  return Object.fromEntries(accountLevels.map(level => [level, of(level)])) as Record<AccountLevel, T>
}

/** Only the members that the body names. Throws a 403 if this caller may not change the policy so. */
export function accountChange(admin: Admin, account: Pick<Account, 'policy'>, body: AccountBody): AccountChange {
  return changedMembers(settable, body, {
    policy: (policy: NonNullable<AccountBody['policy']>) => policyChangedBy(admin, account.policy, policy),
  })
}
