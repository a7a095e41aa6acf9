import type { CatalogEntry } from '../../../core/index.ts'
import type { PackedCatalog } from './format.ts'

const dayMs = 86_400_000

/** The size of a catalog as numbers, so that the catalog itself can leave memory. */
export interface CatalogSize {
  readonly date: string
  readonly providers: number
  readonly models: number
  readonly pairs: number
}

/** The part that is about loaded providers. */
export interface LoadedSize {
  readonly modelsHere: number
  readonly pairsHere: number
}

export function sizeOf({ date, models, providers }: PackedCatalog): CatalogSize {
  const pairs = models.reduce((sum, { at }) => sum + at.length, 0)
  return { date, providers: providers.length, models: models.length, pairs }
}

export function loadedSizeOf(entries: readonly CatalogEntry[]): LoadedSize {
  return { modelsHere: entries.length, pairsHere: entries.reduce((sum, { endpoints }) => sum + endpoints.length, 0) }
}

/** Such as `of 2026-11-21 (3 days old): 2,508 models, 5,922 pairs with 87 providers; 71 models, 75 pairs with those that are loaded`. */
export function describeSize({ date, providers, models, pairs }: CatalogSize, { modelsHere, pairsHere }: LoadedSize, now: number): string {
  const days = Math.max(0, Math.floor((now - Date.parse(date)) / dayMs))
  const age = days === 0 ? 'made today' : days === 1 ? '1 day old' : `${grouped(days)} days old`
  return (
    `of ${date} (${age}): ${counted(models, 'model')}, ${counted(pairs, 'pair')} with ${counted(providers, 'provider')}; ` +
    `${counted(modelsHere, 'model')}, ${counted(pairsHere, 'pair')} with those that are loaded`
  )
}

function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}

function counted(number: number, noun: string): string {
  return `${grouped(number)} ${number === 1 ? noun : `${noun}s`}`
}
