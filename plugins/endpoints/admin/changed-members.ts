import { invalidRequest } from '../../../core/index.ts'
import type { Fields } from '../../../core/stores.ts'
import { shownName } from '../../../core/admin.ts'
import { expectedInstant, instantIn } from './instant.ts'

/** How the JSON of a body is stored, by the name of the field. */
export type StoredForms = Readonly<Record<string, (given: never) => unknown>>

/** The members that a body names, as they are stored. Undefined removes one: for null, and for an empty list where a missing one is shown so. */
export function changedMembers(fields: Fields, body: object, forms: StoredForms): Readonly<Record<string, unknown>> {
  const members: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const shown = shownName(name, field)!
    const given: unknown = body[shown as keyof typeof body]
    if (given === undefined) continue
    if (given === null || (isEmptyList(given) && isEmptyList(field.ifMissing))) members[name] = undefined
    else if (field.type === 'time') members[name] = timeIn(given as string, shown)
    else members[name] = forms[name]?.(given as never) ?? given
  }
  return members
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function timeIn(text: string, name: string): number {
  const ms = instantIn(text)
  if (ms !== undefined) return ms
  throw invalidRequest(`Invalid value for '${name}': ${expectedInstant}.`, name)
}
