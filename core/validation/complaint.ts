import type { JsonObject } from '../foundation/json.ts'
import { nearest } from '../foundation/nearest.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { own, wording, Wording } from '../foundation/wording.ts'
import { knownPath } from './known-names.ts'
import { pathText } from './path.ts'
import type { SchemaFault } from './schema-rules.ts'

const maxUnknownLength = 200

/** The 400 for a body that fails its schema: the field by its path, the expected value, and the actual one. */
export function complaint(errors: readonly SchemaFault[], value: unknown, schema: object): GatewayError {
  const { keyword, params, instancePath, schemaPath, message, propertyName } = maxTelling(errors, schema)
  const path = pathOf(instancePath, value)
  const came = kindOf(at(value, instancePath))
  const [subject, param] = path === '' ? [wording`the body`] : [wording`'${shownPath(path)}'`, path]
  const invalid = (problem: Wording, code?: string): GatewayError =>
    invalidRequest(wording`Invalid value for ${subject}: ${problem}.`, param, code)
  if (propertyName !== undefined) return invalid(wording`a key ${own(message!)}`)
  switch (keyword) {
    case 'required': {
      const missing = missingMembers(at(schema, schemaPath), at(value, instancePath), params.missingProperty).map(member =>
        path ? `${path}.${member}` : member,
      )
      const noun = missing.length === 1 ? 'parameter' : 'parameters'
      return invalidRequest(
        wording`Missing required ${own(noun)}: ${new Wording(listed(missing), listed(missing.map(knownPath)))}.`,
        missing[0],
        'missing_required_parameter',
      )
    }
    case 'additionalProperties': {
      const unknown = [path, params.additionalProperty]
        .filter(step => step !== '')
        .join('.')
        .slice(0, maxUnknownLength)
      const known = Object.keys((at(schema, parentOf(schemaPath)) as { properties?: object } | undefined)?.properties ?? {})
      const near = nearest(String(params.additionalProperty), known)
      const advice = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Expected ${known.join(', ')}.`
      return invalidRequest(wording`Unknown parameter: '${shownPath(unknown)}'. ${own(advice)}`, unknown, 'unknown_parameter')
    }
    case 'type':
      return invalidRequest(
        wording`Invalid type for ${subject}: expected ${own(typesAt(instancePath, errors))}, but got ${came}.`,
        param,
        'invalid_type',
      )
    case 'enum':
    case 'const':
      return invalid(wording`expected ${own(listed(allowed(params)))}, but got ${came}`)
    case 'discriminator': {
      const known = listed(variants(at(schema, parentOf(schemaPath))))
      if (params.tagValue === undefined) return invalid(wording`its type is missing; expected one of ${own(known)}`)
      return invalid(wording`${kindOf(params.tagValue)} is not a known type; expected one of ${own(known)}`)
    }
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties':
      return invalid(wording`it ${own(message!)}, but has ${own(Object.keys(at(value, instancePath) as object).length)}`)
    case 'pattern':
      return invalid(wording`it must match ${own(params.pattern)}`)
    case 'anyOf':
    case 'oneOf': {
      const members = alternatives(at(schema, schemaPath))
      if (!members) break
      const given = members.filter(member => at(value, `${instancePath}/${member}`) !== undefined)
      const expected = `expected ${keyword === 'oneOf' ? 'exactly one' : 'one'} of ${listed(members)}`
      return invalid(wording`${own(expected)}, but got ${own(given.length === 0 ? 'none' : listed(given))}`)
    }
  }
  return invalid(wording`it ${own(message!)}`)
}

/** A record without content has the names that a caller cannot have made up. */
function shownPath(path: string): Wording {
  return new Wording(path, knownPath(path))
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

/** `null` is the same as leaving the member out, so it is no help to somebody who wants one of the others. */
function allowed({ allowedValues, allowedValue }: SchemaFault['params']): readonly unknown[] {
  const values: readonly unknown[] = allowedValues ?? [allowedValue]
  return values.length > 1 ? values.filter(value => value !== null) : values
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

function kindOf(value: unknown): Wording {
  if (typeof value === 'string') return value.length <= 40 ? wording`'${value}'` : wording`a longer string`
  if (typeof value === 'number') return wording`${value}`
  if (typeof value === 'boolean') return wording`${own(String(value))}`
  if (value === null || value === undefined) return wording`null`
  return Array.isArray(value) ? wording`an array` : wording`an object`
}

function article(type: string): string {
  if (type === 'null') return type
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
