import { Ajv, type ErrorObject } from 'ajv'
import { type GatewayError, invalidRequest, requestSchema } from '../../../core/index.ts'

// The schema is the product's own: checking it too would only cost time at every start.
const validate = new Ajv({
  meta: false,
  validateSchema: false,
  discriminator: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
}).compile(requestSchema)

/** Throws the 400 for the first thing that is wrong. */
export function validateRequest(request: object): void {
  if (!validate(request)) throw invalid(validate.errors!, request)
}

function invalid(errors: readonly ErrorObject[], request: object): GatewayError {
  // Of the branches of an `anyOf`, only the deepest complaint says something useful.
  const error = errors.reduce((best, next) => (depthOf(next) > depthOf(best) ? next : best))
  const { keyword, params, instancePath, message } = error
  const path = pathOf(instancePath)
  const came = kindOf(valueAt(request, instancePath))
  switch (keyword) {
    case 'required': {
      const missing = path ? `${path}.${params.missingProperty}` : params.missingProperty
      return invalidRequest(`Missing required parameter: '${missing}'.`, missing, 'missing_required_parameter')
    }
    case 'type':
      return invalidRequest(`Invalid type for '${path}': expected ${article(params.type)}, but got ${came}.`, path, 'invalid_type')
    case 'enum':
    case 'const':
      return invalidRequest(
        `Invalid value for '${path}': expected ${(params.allowedValues ?? [params.allowedValue]).map((value: unknown) => `'${value}'`).join(', ')}, but got ${came}.`,
        path,
      )
    case 'discriminator':
      return invalidRequest(
        `Invalid value for '${path}.type': ${params.tagValue === undefined ? 'it is missing' : `${kindOf(params.tagValue)} is not a known type`}.`,
        path,
      )
    case 'pattern':
      return invalidRequest(`Invalid value for '${path}': it must match ${params.pattern}.`, path)
    default:
      return invalidRequest(`Invalid value for '${path}': it ${message}.`, path)
  }
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length
}

/** `/input/0/content` as `input[0].content`. */
function pathOf(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, segment) => (/^\d+$/.test(segment) ? `${path}[${segment}]` : path ? `${path}.${segment}` : segment), '')
}

function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const segment of pointer.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[segment.replaceAll('~1', '/').replaceAll('~0', '~')]
  return value
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return value.length <= 40 ? `'${value}'` : 'a longer string'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'an array' : 'an object'
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
