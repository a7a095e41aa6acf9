import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A door of the package: an address that plugins, configs and tests import. */
export interface Door {
  /** Such as `turnpike/kit`. */
  readonly address: string
  /** Such as `kit`: the name of its report and its page. */
  readonly page: string
  /** Its source, from the root of the repository. */
  readonly file: string
}

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly 'turnpike-source': string }>>
}

export const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Manifest

/** The doors that package.json names. The options of `turnpike/plugins/*` are on pages that are made of their schemas. */
export const doors: readonly Door[] = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' || path.includes('*')
    ? []
    : [
        {
          address: `turnpike${path.slice(1)}`,
          page: path === '.' ? 'turnpike' : path.slice(2).replaceAll('/', '-'),
          file: target['turnpike-source'].slice(2),
        },
      ],
)
