import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const imports = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}\/[^'"\n]+)\1/g
const endings = ['', '.js', '.cjs', '.json', '/index.js']

/**
 * These files, and the local files that their text imports, directly or not, also those that do not exist yet. Node.js tells only of what it
 * could load: after a mistake, the file at fault would not be known.
 */
export function withImported(files: Iterable<string>): ReadonlySet<string> {
  const found = new Set(files)
  for (const file of found) for (const imported of importsOf(file)) found.add(imported)
  return found
}

function importsOf(file: string): readonly string[] {
  if (!/\.[cm]?[jt]s$/.test(file) || !existsSync(file)) return []
  return Array.from(readFileSync(file, 'utf8').matchAll(imports), ([, , specifier]) => {
    const path = resolve(dirname(file), specifier!)
    return endings.map(ending => path + ending).find(each => existsSync(each)) ?? path
  }).filter(path => !path.includes('node_modules'))
}
