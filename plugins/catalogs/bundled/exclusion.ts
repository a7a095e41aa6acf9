import type { CatalogEntry } from '../../../core/index.ts'

/** Removes the named models, or single endpoints (`provider/model`). `*` matches any characters. */
export function without(entries: readonly CatalogEntry[], excluded: readonly string[]): readonly CatalogEntry[] {
  if (excluded.length === 0) return entries
  const patterns = excluded.map(name => new RegExp(`^${name.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`))
  const isExcluded = (name: string): boolean => patterns.some(pattern => pattern.test(name))
  return entries
    .filter(({ model }) => !isExcluded(model))
    .map(entry => ({ ...entry, endpoints: entry.endpoints.filter(({ provider }) => !isExcluded(`${provider}/${entry.model}`)) }))
    .filter(({ endpoints }) => endpoints.length > 0)
}
