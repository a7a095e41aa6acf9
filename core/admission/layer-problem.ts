import { policyFields } from '../contracts/policy.ts'
import { isObject } from '../foundation/json.ts'

/** Why a layer is malformed, as the end of a sentence. Undefined if it is valid. */
export function layerProblem(layer: unknown): string | undefined {
  if (!isObject(layer)) return 'is not an object'
  for (const [field, setting] of Object.entries(layer)) {
    if (!(policyFields as readonly string[]).includes(field))
      return `has the unknown field "${field.slice(0, 40)}": expected ${policyFields.join(', ')}`
    if (setting === undefined) continue
    if (
      !isObject(setting) ||
      typeof setting['value'] !== 'boolean' ||
      !isMaybeBoolean(setting['enforced']) ||
      !isSettings(setting['settings'])
    )
      return `has a malformed field "${field}": expected { value: true or false, enforced?: true or false, settings?: an object }`
  }
  return undefined
}

function isMaybeBoolean(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean'
}

function isSettings(value: unknown): boolean {
  return value === undefined || isObject(value)
}
