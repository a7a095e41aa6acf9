import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Logger } from '../../../core/index.ts'
import { sectionsOf, type Section } from './sections.ts'

export interface DocumentFolder {
  readonly folder: string
  readonly maximumFiles: number
  readonly maximumMegabytes: number
  readonly log: Logger
}

const maxFileBytes = 1024 * 1024

/** The sections of each file, in the order of the paths. Skips links and hidden files. */
export async function* readDocuments({ folder, maximumFiles, maximumMegabytes, log }: DocumentFolder): AsyncGenerator<readonly Section[]> {
  const paths = await pathsIn(folder)
  let bytesLeft = maximumMegabytes * 1024 * 1024
  let left = Math.max(0, paths.length - maximumFiles)
  for (const path of paths.slice(0, maximumFiles)) {
    const { size } = await stat(join(folder, path))
    if (size > Math.min(bytesLeft, maxFileBytes)) {
      left += 1
      continue
    }
    bytesLeft -= size
    yield sectionsOf(path, await readFile(join(folder, path), 'utf8'))
  }
  if (left > 0) log.warn(`left ${left} files of the folder unread: they are larger than 1 MiB, or over maximumFiles or maximumMegabytes`)
}

async function pathsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile() && /\.(md|markdown|txt)$/i.test(entry.name))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(path => !path.split('/').some(part => part.startsWith('.')))
    .sort()
}
