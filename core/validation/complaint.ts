import type { JsonObject } from '../foundation/json.ts'
import { nearest } from '../foundation/nearest.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { pathText } from './path.ts'
import type { SchemaFault } from './schema-rules.ts'

const maxUnknownLength = 200

/** The 400 for a body that fails its schema: the field by its path, the expected value, and the actual one. */
export function complaint(errors: readonly SchemaFault[], value: unknown, schema: object): GatewayError {
  const { keyword, params, instancePath, schemaPath, message, propertyName } = maxTelling(errors, schema)
  const path = pathOf(instancePath, value)
  const came = kindOf(at(value, instancePath))
  const [subject, param] = path === '' ? ['the body'] : [`'${path}'`, path]
  const invalid = (problem: string, code?: string): GatewayError => invalidRequest(`Invalid value for ${subject}: ${problem}.`, param, code)
  if (propertyName !== undefined) return invalid(`a key ${message}`)
  switch (keyword) {
    case 'required': {
      const missing = missingMembers(at(schema, schemaPath), at(value, instancePath), params.missingProperty).map(member =>
        path ? `${path}.${member}` : member,
      )
      const noun = missing.length === 1 ? 'parameter' : 'parameters'
      return invalidRequest(`Missing required ${noun}: ${listed(missing)}.`, missing[0], 'missing_required_parameter')
    }
    case 'additionalProperties': {
      const unknown = [path, params.additionalProperty]
        .filter(step => step !== '')
        .join('.')
        .slice(0, maxUnknownLength)
      const known = Object.keys((at(schema, parentOf(schemaPath)) as { properties?: object } | undefined)?.properties ?? {})
      const near = nearest(String(params.additionalProperty), known)
      const advice = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Expected ${known.join(', ')}.`
      return invalidRequest(`Unknown parameter: '${unknown}'. ${advice}`, unknown, 'unknown_parameter')
    }
    case 'type':
      return invalidRequest(
        `Invalid type for ${subject}: expected ${typesAt(instancePath, errors)}, but got ${came}.`,
        param,
        'invalid_type',
      )
    case 'enum':
    case 'const':
      return invalid(`expected ${listed(params.allowedValues ?? [params.allowedValue])}, but got ${came}`)
    case 'discriminator': {
      const known = listed(variants(at(schema, parentOf(schemaPath))))
      if (params.tagValue === undefined) return invalid(`its type is missing; expected one of ${known}`)
      return invalid(`${kindOf(params.tagValue)} is not a known type; expected one of ${known}`)
    }
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties':
      return invalid(`it ${message}, but has ${Object.keys(at(value, instancePath) as object).length}`)
    case 'pattern':
      return invalid(`it must match ${params.pattern}`)
    case 'anyOf':
    case 'oneOf': {
      const members = alternatives(at(schema, schemaPath))
      if (!members) break
      const given = members.filter(member => at(value, `${instancePath}/${member}`) !== undefined)
      const expected = `expected ${keyword === 'oneOf' ? 'exactly one' : 'one'} of ${listed(members)}`
      return invalid(`${expected}, but got ${given.length === 0 ? 'none' : listed(given)}`)
    }
  }
  return invalid(`it ${message}`)
}

/**
 * Picks the error of the `anyOf` branch that matched best: the deepest one, and not a type error if another branch accepted the type.
 * If one of several members is required, the rule itself says more than the errors of its branches.
 */
function maxTelling(errors: readonly SchemaFault[], schema: object): SchemaFault {
  const depth = Math.max(...errors.map(depthOf))
  const deepest = errors.filter(error => depthOf(error) === depth)
  const combined = deepest.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const plain = deepest.filter(error => !combined.includes(error))
  return (
    combined.find(({ schemaPath }) => alternatives(at(schema, schemaPath))) ??
    plain.find(({ keyword }) => keyword !== 'type') ??
    plain[0] ??
    deepest[0]!
  )
}

/** `a string or an array`. */
function typesAt(path: string, errors: readonly SchemaFault[]): string {
  return errors
    .filter(({ keyword, instancePath }) => keyword === 'type' && instancePath === path)
    .flatMap(({ params }) => [params.type as string | readonly string[]].flat())
    .map(article)
    .join(' or ')
}

function depthOf({ instancePath }: SchemaFault): number {
  return instancePath.split('/').length
}

/** The members of which one is required, if each branch of the rule requires a different one. */
function alternatives(branches: unknown): readonly string[] | undefined {
  const members = (branches as readonly { required?: readonly string[]; type?: string }[]).map(({ required, type }) =>
    type === undefined ? required?.[0] : undefined,
  )
  return members.every(member => member !== undefined) ? members : undefined
}

/** Every missing member. The validator names only the first. */
function missingMembers(required: unknown, value: unknown, first: string): readonly string[] {
  if (!Array.isArray(required)) return [first]
  return required.filter((member: string) => (value as JsonObject)[member] === undefined)
}

/** The `type` values that distinguish the branches of a `oneOf`. */
function variants(schema: unknown): readonly unknown[] {
  const { oneOf } = schema as { readonly oneOf: readonly { readonly properties: { readonly type: JsonObject } }[] }
  return oneOf.flatMap<unknown>(({ properties: { type } }) => (type['enum'] as readonly unknown[] | undefined) ?? [type['const']])
}

function listed(values: readonly unknown[]): string {
  return values.map(value => `'${String(value)}'`).join(', ')
}

/** `/input/0/content` as `input[0].content`. */
function pathOf(pointer: string, root: unknown): string {
  let value = root
  const steps = segmentsOf(pointer).map(segment => {
    const step = Array.isArray(value) ? Number(segment) : segment
    value = (value as JsonObject | undefined)?.[segment]
    return step
  })
  return pathText(steps)
}

function at(root: unknown, pointer: string): unknown {
  return segmentsOf(pointer).reduce<unknown>((value, segment) => (value as JsonObject | undefined)?.[segment], root)
}

/** For pointers such as `/input/0` and `#/properties/input`. */
function segmentsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'))
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return value.length <= 40 ? `'${value}'` : 'a longer string'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'an array' : 'an object'
}

function article(type: string): string {
  if (type === 'null') return type
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
