import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sharedByCopies } from '../foundation/shared-by-copies.ts'

/** A copy of this package that the process has loaded, as `turnpike` or as `turnpike-sdk`. */
export interface Copy {
  readonly name: string
  readonly version: string
  readonly folder: string
}

/** The address of this module in each copy. */
const addresses = sharedByCopies('copies', () => new Set<string>())
addresses.add(import.meta.url)

/** The copies in the order in which they were loaded. */
export async function loadedCopies(): Promise<readonly Copy[]> {
  const copies = await Promise.all(Array.from(addresses, address => copyAt(dirname(fileURLToPath(address)))))
  return [...new Map(copies.flatMap(copy => (copy ? [[copy.folder, copy]] : []))).values()]
}

/** Undefined if no folder above belongs to a package, as in a bundle of another program. */
async function copyAt(folder: string): Promise<Copy | undefined> {
  try {
    const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Partial<Copy>
    if (name !== undefined && version !== undefined) return { name, version, folder }
  } catch {
    // No manifest here.
  }
  const above = dirname(folder)
  return above === folder ? undefined : copyAt(above)
}
