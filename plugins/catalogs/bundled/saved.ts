import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { PackedCatalog } from './format.ts'

/** The last valid catalog from a URL, with its cache headers. */
export interface SavedCatalog {
  readonly url: string
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
  /** The last time at which the URL had nothing newer, in milliseconds since the epoch. */
  readonly checkedAt: number
  readonly catalog: PackedCatalog
}

/** The catalog saved from this URL, if any. Throws for a file that is not a saved catalog. */
export function readSaved(file: string, url: string, check: (value: unknown) => PackedCatalog): SavedCatalog | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const saved = JSON.parse(text) as Partial<SavedCatalog> | null
  if (saved?.url !== url || typeof saved.checkedAt !== 'number') return undefined
  return { ...saved, url, checkedAt: saved.checkedAt, catalog: check(saved.catalog) }
}

/** Replaces the file atomically, so that an interrupted write leaves the old one. */
export async function writeSaved(file: string, saved: SavedCatalog): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${process.pid}.tmp`
  await writeFile(unfinished, JSON.stringify(saved), { mode: 0o600 })
  await rename(unfinished, file)
}
