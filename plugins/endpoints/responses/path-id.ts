import { invalidRequest, type Exchange } from '../../../core/index.ts'

/** Words of the protocol in the place of an id (docs/protocol/http.md#paths), and what a base URL that ends in `/responses` adds. */
const reserved: ReadonlySet<string> = new Set(['health', 'compact', 'input_tokens', 'responses'])

/** See `Route.serves`. */
export function isId({ id = '' }: Readonly<Record<string, string>>): boolean {
  return !reserved.has(id)
}

const longestId = 128

/** What `pathId` takes, for the interface description. */
export const idSchema = { type: 'string', minLength: 1, maxLength: longestId, pattern: '^[a-zA-Z0-9_.:-]+$' } as const
const idPattern = new RegExp(idSchema.pattern)

/** The id in the path of a stored response, fit to be looked up. */
export function pathId({ params }: Exchange): string {
  const id = params['id'] ?? ''
  if (id.length > longestId) throw invalidRequest(`A response id has at most ${longestId} characters, but this one has ${id.length}.`, 'id')
  if (!idPattern.test(id)) throw invalidRequest('A response id has letters, digits, "_", "-", "." and ":" only, such as resp_0123.', 'id')
  return id
}
