import { GatewayError, invalidRequest, type Exchange } from '../../../core/index.ts'

/** Words of the protocol that stand where an id would: contract/responses.md §1. */
const reserved: ReadonlySet<string> = new Set(['health', 'compact', 'input_tokens'])

const longestId = 128

/** What `pathId` takes, for the interface description. */
export const idSchema = { type: 'string', minLength: 1, maxLength: longestId, pattern: '^[a-zA-Z0-9_.:-]+$' } as const
const idPattern = new RegExp(idSchema.pattern)

/** The id in the path of a stored response, fit to be looked up. */
export function pathId({ params, request }: Exchange): string {
  const id = params['id'] ?? ''
  if (reserved.has(id)) throw notServed(request)
  if (id.length > longestId) throw invalidRequest(`A response id has at most ${longestId} characters, but this one has ${id.length}.`, 'id')
  if (!idPattern.test(id)) throw invalidRequest('A response id has letters, digits, "_", "-", "." and ":" only, such as resp_0123.', 'id')
  return id
}

function notServed({ method, url }: Request): GatewayError {
  return new GatewayError({
    status: 404,
    type: 'invalid_request_error',
    code: 'not_found',
    message: `Nothing is served at ${method} ${new URL(url).pathname}.`,
  })
}
