import { invalidRequest, type Exchange } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'

/** Words of the protocol in the place of an id (docs/protocol/http.md#paths), and what a base URL that ends in `/responses` adds. */
const reserved: ReadonlySet<string> = new Set(['health', 'compact', 'input_tokens', 'responses'])

/** See `Route.serves`. */
export function isId({ id = '' }: Readonly<Record<string, string>>): boolean {
  return !reserved.has(id)
}

const maxIdLength = 128

/** The schema of a response id, also for the OpenAPI document. */
export const idSchema = { type: 'string', minLength: 1, maxLength: maxIdLength, pattern: '^[a-zA-Z0-9_.:-]+$' } as const
const idPattern = new RegExp(idSchema.pattern)

/** The response id in the path. Throws a 400 for one that cannot exist. */
export function pathId({ params }: Exchange): string {
  const id = params['id'] ?? ''
  if (id.length > maxIdLength)
    throw invalidRequest(wording`A response id has at most ${own(maxIdLength)} characters, but this one has ${own(id.length)}.`, 'id')
  if (!idPattern.test(id))
    throw invalidRequest(wording`A response id has only letters, digits, "_", "-", "." and ":", such as resp_0123.`, 'id')
  return id
}
