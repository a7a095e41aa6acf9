import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { PackedCatalog } from './format.ts'

/** The last good catalog from an address, and what its server said of it. */
export interface SavedCatalog {
  readonly url: string
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
  /** Milliseconds since the epoch: when the address was last heard to have nothing newer. */
  readonly checkedAt: number
  readonly catalog: PackedCatalog
}

/** Undefined where nothing is saved from this address. Throws for a file that is no such thing. */
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

/** Whole or not at all: a process that ends while it writes leaves the old one. */
export async function writeSaved(file: string, saved: SavedCatalog): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${process.pid}.tmp`
  await writeFile(unfinished, JSON.stringify(saved), { mode: 0o600 })
  await rename(unfinished, file)
}
