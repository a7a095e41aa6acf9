import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly version: string
}

const manifestPath = createRequire(import.meta.url).resolve('turnpike/package.json')
const root = dirname(manifestPath)

/** The text of a file in `examples/`, which the package ships. */
export function exampleText(path: string): string {
  return readFileSync(join(root, 'examples', path), 'utf8')
}

export function licenseText(): string {
  return readFileSync(join(root, 'LICENSE'), 'utf8')
}

/** The versions of Turnpike that what is made works with: `^0.1.0`. */
export function ownRange(): string {
  const { version } = JSON.parse(readFileSync(manifestPath, 'utf8')) as Manifest
  return `^${version}`
}
