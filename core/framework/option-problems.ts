import type { ErrorObject } from 'ajv'
import { nearest } from '../foundation/nearest.ts'
import { millisecondsProblem } from '../validation/milliseconds.ts'

/** The validation errors of a plugin's options as one sentence. `known`: the names of all options. */
export function optionProblems(errors: readonly ErrorObject[], known: readonly string[]): string {
  const relevant = errors.filter(error => error.keyword !== 'anyOf' && !errors.some(other => isNearer(other, error)))
  return relevant.map(error => describe(error, known)).join('; ')
}

/** If an option may have several forms, errors about a form of another type are noise once one form has the right type. */
function isNearer(other: ErrorObject, { keyword, schemaPath, instancePath }: ErrorObject): boolean {
  const form = schemaPath.lastIndexOf('/anyOf/')
  if (keyword !== 'type' || form < 0 || other.keyword === 'type' || other.keyword === 'anyOf') return false
  return other.schemaPath.startsWith(schemaPath.slice(0, form + '/anyOf/'.length)) && other.instancePath.startsWith(instancePath)
}

function describe({ instancePath, keyword, message, params }: ErrorObject, known: readonly string[]): string {
  const place = instancePath || 'options'
  if (keyword === 'format' && params.format === 'uri') return `${place} must be a URL that starts with http:// or https://`
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty)
    const near = instancePath === '' ? nearest(unknown, known) : []
    return `unknown option ${instancePath}${instancePath && '/'}${unknown}${near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''}`
  }
  const detail = params.allowedValue ?? params.allowedValues?.join(', ')
  return `${place} ${millisecondsProblem(keyword, params.limit) ?? message}${detail ? ` (${detail})` : ''}`
}
