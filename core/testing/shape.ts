import { Ajv, type ErrorObject } from 'ajv'

/** A broken rule of the protocol, and where it was broken. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** Throws a `ContractError` for an invalid value. Messages begin with `path`. */
export type Check = (value: unknown, path: string) => void

const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, discriminator: true })

export function shape(schema: object): Check {
  const validate = ajv.compile(schema)
  return (value, path) => {
    if (!validate(value)) throw new ContractError(describe(deepest(validate.errors!), path))
  }
}

/** An object with exactly these members (`closed`), or at least these (`open`). */
export function record(properties: Readonly<Record<string, object>>, more: 'closed' | 'open' = 'open'): object {
  return { type: 'object', required: Object.keys(properties), properties, ...(more === 'closed' && { additionalProperties: false }) }
}

/** An object of one of several kinds, distinguished by `type`. */
export function oneOf(...variants: readonly object[]): object {
  return { type: 'object', required: ['type'], discriminator: { propertyName: 'type' }, oneOf: variants }
}

export function nullable(type: string): object {
  return { type: [type, 'null'] }
}

export function orNull(object: object): object {
  return { ...object, type: ['object', 'null'] }
}

export function fail(problem: string): never {
  throw new ContractError(problem)
}

/** Picks the error of the variant that matched best. */
function deepest(errors: readonly ErrorObject[]): ErrorObject {
  return errors.reduce((best, error) => (error.instancePath.length > best.instancePath.length ? error : best))
}

function describe({ instancePath, message, params }: ErrorObject, path: string): string {
  const detail = params.additionalProperty ?? params.allowedValues?.join(', ') ?? params.allowedValue ?? params.tagValue
  return `${path}${instancePath.replaceAll('/', '.')} ${message}${detail === undefined ? '' : ` (${detail})`}`
}
