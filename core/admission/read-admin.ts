import type { Admin } from '../contracts/admin-route.ts'
import { adminRoles, type AdminRole, type AdminToken } from '../contracts/admin-token-store.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'

// Plugins supply the callers of the admin API. These functions read every member once: a getter may return another value the next time.
// They throw what a getter throws. A problem is the end of a sentence, without values.

const adminMembers = ['id', 'role', 'org']

/** A copy of an admin, or the reason why it is malformed. */
export function readAdmin(given: unknown): Admin | string {
  if (!isObject(given)) return notAnObject(given)
  // A misspelled `org` would mean all organizations.
  const unknown = Object.keys(given).find(name => !adminMembers.includes(name))
  if (unknown !== undefined) return ` with the unknown member "${unknown.slice(0, 40)}": expected id, role and org only`
  const { id, role, org } = given
  return textProblem('id', id) ?? rightsProblem(role, org) ?? ({ id, role, org } as Admin)
}

/** A copy of a stored token, or the reason why it is malformed. Other members do not count: a row may have more columns. */
export function readToken(given: unknown): AdminToken | string {
  if (!isObject(given)) return notAnObject(given)
  const { id, hash, name, role, org, createdAt } = given
  const problem = textProblem('id', id) ?? textProblem('hash', hash) ?? rightsProblem(role, org)
  return problem ?? ({ id, hash, name, role, org, createdAt } as AdminToken)
}

/** The reason why nobody can have this role in this organization, if there is one. */
export function rightsProblem(role: unknown, org: unknown): string | undefined {
  if (!isRole(role)) {
    const got = typeof role === 'string' && role !== '' ? 'another string' : kindOfText(role)
    return ` with a bad \`role\`: expected "owner", "editor" or "viewer", got ${got}`
  }
  if (org === undefined || (typeof org === 'string' && org !== '')) return undefined
  return ` with a bad \`org\`: expected a non-empty string, or undefined for all organizations, got ${kindOfText(org)}`
}

function textProblem(name: keyof JsonObject, value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return undefined
  return ` with a bad \`${name}\`: expected a non-empty string, got ${kindOfText(value)}`
}

function isRole(value: unknown): value is AdminRole {
  return (adminRoles as readonly unknown[]).includes(value)
}

function notAnObject(given: unknown): string {
  return `: expected an object, got ${kindOf(given)}`
}

function kindOfText(value: unknown): string {
  return value === '' ? 'an empty string' : kindOf(value)
}
