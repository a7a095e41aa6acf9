import type { ErrorObject } from 'ajv'
import { nearest } from '../foundation/nearest.ts'

/** What a validator found wrong with options, in one sentence. `known`: the options that there are. */
export function optionProblems(errors: readonly ErrorObject[], known: readonly string[]): string {
  const told = errors.filter(error => error.keyword !== 'anyOf' && !errors.some(other => isNearer(other, error)))
  return told.map(error => describe(error, known)).join('; ')
}

/** Of several forms that an option may have, those of another type say nothing where one of the right type was almost met. */
function isNearer(other: ErrorObject, { keyword, schemaPath, instancePath }: ErrorObject): boolean {
  const form = schemaPath.lastIndexOf('/anyOf/')
  if (keyword !== 'type' || form < 0 || other.keyword === 'type' || other.keyword === 'anyOf') return false
  return other.schemaPath.startsWith(schemaPath.slice(0, form + '/anyOf/'.length)) && other.instancePath.startsWith(instancePath)
}

function describe({ instancePath, keyword, message, params }: ErrorObject, known: readonly string[]): string {
  const place = instancePath || 'options'
  if (keyword === 'format' && params.format === 'uri') return `${place} must be an address that begins with http:// or https://`
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty)
    const near = instancePath === '' ? nearest(unknown, known) : []
    return `unknown option ${instancePath}${instancePath && '/'}${unknown}${near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''}`
  }
  const detail = params.allowedValue ?? params.allowedValues?.join(', ')
  return `${place} ${message}${detail ? ` (${detail})` : ''}`
}
