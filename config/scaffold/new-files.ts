import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Texts by their paths in a folder, with slashes. */
export type NewFiles = ReadonlyMap<string, string>

export interface WrittenFiles {
  readonly written: readonly string[]
  /** They were there, and stay as they are. */
  readonly kept: readonly string[]
}

/** Writes those files that the folder does not have. Never overwrites one. */
export function writeNew(folder: string, files: NewFiles): WrittenFiles {
  const written: string[] = []
  const kept: string[] = []
  for (const [path, text] of files) {
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    if (writeIfAbsent(target, text)) written.push(path)
    else kept.push(path)
  }
  return { written, kept }
}

function writeIfAbsent(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (existsSync(path)) return false
    throw error
  }
}
