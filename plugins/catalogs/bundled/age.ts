import type { CatalogEntry } from '../../../core/index.ts'
import type { PackedCatalog } from './format.ts'

const dayMs = 86_400_000

/** Such as `of 2026-11-21 (3 days old): 2,416 models, 5,759 pairs with 82 providers; 71 models, 75 pairs with those that are here`. */
export function describeCatalog({ date, models, providers }: PackedCatalog, entries: readonly CatalogEntry[], now: number): string {
  const days = Math.max(0, Math.floor((now - Date.parse(date)) / dayMs))
  const pairs = models.reduce((sum, { at }) => sum + at.length, 0)
  const here = entries.reduce((sum, { endpoints }) => sum + endpoints.length, 0)
  return [
    `of ${date} (${days === 0 ? 'made today' : days === 1 ? '1 day old' : `${count(days)} days old`}): `,
    `${count(models.length)} models, ${count(pairs)} pairs with ${providers.length} providers; `,
    `${count(entries.length)} models, ${count(here)} pairs with those that are here`,
  ].join('')
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
