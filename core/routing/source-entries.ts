import type { CatalogEntry, CatalogSource } from '../contracts/catalog.ts'
import { AssemblyError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'

/** Throws an `AssemblyError` for what is not a list of entries: a mistake of the plugin. */
export function entriesOf(source: CatalogSource): readonly CatalogEntry[] {
  const entries: unknown = source.entries()
  const problem = Array.isArray(entries) ? entries.map(entryProblem).find(each => each !== undefined) : 'it is not an array'
  if (problem === undefined) return entries as readonly CatalogEntry[]
  throw new AssemblyError(
    `The catalog source "${source.name}" returns bad entries: ${problem}. Expected a list of { model, endpoints: [{ provider }] }.`,
  )
}

function entryProblem(entry: unknown, index: number): string | undefined {
  const { model, endpoints } = (isObject(entry) ? entry : {}) as Readonly<Record<string, unknown>>
  if (typeof model !== 'string' || model === '') return `[${index}].model is not a name`
  if (!Array.isArray(endpoints)) return `the endpoints of "${model}" are not an array`
  return endpoints.every(endpoint => isObject(endpoint) && typeof endpoint['provider'] === 'string')
    ? undefined
    : `an endpoint of "${model}" has no provider`
}
