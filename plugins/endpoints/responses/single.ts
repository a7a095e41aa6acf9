import { invalidRequest } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'

/** A query parameter that may appear once. Throws a 400 for a repeated one. */
export function single(query: URLSearchParams, name: string): string | null {
  const [value = null, ...others] = query.getAll(name)
  if (others.length > 0)
    throw invalidRequest(wording`Invalid value for '${own(name)}': expected one, but got ${own(others.length + 1)}.`, name)
  return value
}
