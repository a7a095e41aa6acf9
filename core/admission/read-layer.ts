import type { AccountPolicy } from '../contracts/account-store.ts'
import { policyFields, type PolicyField } from '../contracts/policy.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { isPlainObject, type JsonObject } from '../foundation/json.ts'

export interface LayerRules {
  /** True if a setting may have the member `setBy`, as in the policies of accounts. */
  readonly saysMaker: boolean
  /** True if the field may have settings other than `{}`. */
  takesSettings(field: PolicyField): boolean
}

type Setting = NonNullable<AccountPolicy[PolicyField]>

const settingMembers = ['value', 'enforced', 'settings']
const deepestSettings = 64

/**
 * A frozen copy of a layer, or why it is malformed, as the end of a sentence. Reads every member once: a getter may return another value the next
 * time. Throws what a getter throws.
 */
export function readLayer(layer: unknown, rules: LayerRules): AccountPolicy | string {
  if (!isPlainObject(layer)) return 'is not an object, or belongs to a class such as Map'
  const copy: [string, Setting][] = []
  for (const [field, given] of membersOf(layer)) {
    if (!isField(field)) return `has the unknown field "${field.slice(0, 40)}": expected ${policyFields.join(', ')}`
    const setting = readSetting(given, field, rules)
    if (typeof setting === 'string') return setting
    copy.push([field, setting])
  }
  return freezeDeeply(Object.fromEntries(copy))
}

function readSetting(given: unknown, field: PolicyField, { saysMaker, takesSettings }: LayerRules): Setting | string {
  const malformed = `has a malformed field "${field}": expected { value: true or false, enforced?: true or false, settings?: an object of JSON }`
  if (!isPlainObject(given)) return malformed
  const members = membersOf(given)
  const unknown = members.find(([name]) => !settingMembers.includes(name) && !(saysMaker && name === 'setBy'))
  if (unknown) return `has the unknown member "${unknown[0].slice(0, 40)}" in "${field}": expected ${settingMembers.join(', ')}`
  const { value, enforced, setBy, settings: asGiven } = Object.fromEntries(members)
  const settings = asGiven === undefined ? undefined : copyOf(asGiven)
  if (typeof value !== 'boolean' || !isMaybeBoolean(enforced)) return malformed
  const read: Setting = { value, ...(enforced !== undefined && { enforced }), ...(setBy === 'org' && { setBy }) }
  if (asGiven === undefined) return read
  if (!isPlainObject(settings)) return malformed
  if (!takesSettings(field) && Object.keys(settings).length > 0)
    return `has settings for "${field}", for which no loaded guardrail takes any`
  return { ...read, settings }
}

/** Inherited members do not count; those that are not enumerable do. */
function membersOf(object: JsonObject): readonly (readonly [name: string, value: unknown])[] {
  return Reflect.ownKeys(object).map(name => [String(name), object[name as string]])
}

/** A copy of JSON. Undefined for anything else, also within it. */
export function copyOf(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value
  if (depth === deepestSettings) return undefined
  if (Array.isArray(value)) {
    const copy = Array.from(value as readonly unknown[], each => copyOf(each, depth + 1))
    return copy.includes(undefined) ? undefined : copy
  }
  if (!isPlainObject(value)) return undefined
  const members = membersOf(value).filter(([, member]) => member !== undefined)
  const copy = members.map(([name, member]) => [name, copyOf(member, depth + 1)] as const)
  return copy.some(([, member]) => member === undefined) ? undefined : Object.fromEntries(copy)
}

function isField(name: string): name is PolicyField {
  return (policyFields as readonly string[]).includes(name)
}

function isMaybeBoolean(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === 'boolean'
}
