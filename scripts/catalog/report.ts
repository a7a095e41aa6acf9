import type { PackedCatalog } from '../../plugins/catalogs/bundled/format.ts'

/** Summarizes the catalog and how many facts are known. */
export function report({ models, providers, capabilities, prices }: PackedCatalog, text: string, served: ReadonlySet<string>): string[] {
  const all = models.flatMap(({ id, at }) => at.map(place => ({ id, place })))
  const wireNames = new Set(all.map(({ id, place }) => place[5] ?? id))
  const names = new Set(models.flatMap(({ id, aliases = [] }) => [id, ...aliases]))
  const ofServed = all.filter(({ place }) => served.has(providers[place[0] - 1]!))
  const count = (known: (place: (typeof all)[number]['place']) => unknown): number => all.filter(({ place }) => known(place)).length
  const capable = (member: keyof PackedCatalog['capabilities'][number]): string =>
    `${member} ${count(place => capabilities[place[1] - 1]?.[member] !== undefined)}`
  return [
    `${models.length} models under ${names.size} names (${wireNames.size} names at providers), ${all.length} pairs with ${providers.length} providers`,
    `${ofServed.length} of the pairs are with providers that a plugin here serves`,
    `known of the pairs: price ${count(place => place[2])}, context window ${count(place => place[3])}, most output ${count(place => place[4])}`,
    `of their capabilities: ${(['tools', 'structuredOutput', 'efforts', 'temperature', 'images', 'files', 'webSearch', 'verbosity', 'logprobs'] as const).map(capable).join(', ')}`,
    `${models.filter(({ auto }) => auto).length} models for auto, first ${models
      .slice(0, 12)
      .map(({ id }) => id)
      .join(', ')}`,
    `${prices.length} prices, ${capabilities.length} sets of capabilities, ${Math.round(text.length / 1000)} kB`,
  ]
}
