import { adminRoles, type Admin } from '../../../core/admin.ts'
import { isObject } from '../../../core/index.ts'

/** The rights of people whose claim has this value. */
export interface AccessRule {
  readonly value: string
  readonly role: Admin['role']
  /** The only organization that they see. Default: all. */
  readonly org?: string | undefined
}

/** The options of `access`: the first rule that matches decides. */
export const accessSchema = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['value', 'role'],
    properties: {
      value: { type: 'string', minLength: 1, description: 'A value of the claim.' },
      role: { enum: adminRoles, description: 'The role of people with this value.' },
      org: { type: 'string', minLength: 1, description: 'The only organization that they see. Default: all.' },
    },
  },
} as const

/** A person whom an identity provider vouches for. */
export interface Person {
  readonly subject: string
  /** The values of the claim that decides what they may do. */
  readonly values: readonly string[]
}

/** The rights by the first rule that matches. Without one, nobody gets in. */
export function adminOf({ subject, values }: Person, access: readonly AccessRule[]): Admin | undefined {
  const rule = access.find(({ value }) => values.includes(value))
  return rule && { id: `openid:${subject}`, role: rule.role, org: rule.org }
}

/** The texts of a claim, which may be one or a list. `path` has dots for members of members, such as `realm_access.roles`. */
export function valuesOf(claims: object, path: string): readonly string[] {
  // The name of a claim may have dots itself, as in https://example.com/roles.
  const claim = path in claims ? (claims as Record<string, unknown>)[path] : path.split('.').reduce<unknown>(memberOf, claims)
  const all = Array.isArray(claim) ? (claim as readonly unknown[]) : [claim]
  return all.filter(each => typeof each === 'string')
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
