import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packedManifest, type Manifest } from './manifest.ts'
import { pack } from './npm.ts'
import { packedPage, packedSource } from './pages.ts'
import { billOfMaterials, type Billed } from './sbom.ts'

export interface Stage {
  /** The repository, with a built dist/. */
  readonly root: string
  readonly folder: string
  /** The address of the repository, or an empty text. */
  readonly home: string
  /** Texts that a release changes, by their paths: they replace those of the repository. */
  readonly changed?: ReadonlyMap<string, string>
}

/** Fills a folder with the package as it is published. npm says which files of the repository belong to it. */
export function stage({ root, folder, home, changed = new Map() }: Stage): void {
  const textOf = (path: string): string => changed.get(path) ?? readFileSync(join(root, path), 'utf8')
  const paths = pack(root, '--dry-run').files.map(({ path }) => path)
  const manifest = JSON.parse(textOf('package.json')) as Manifest
  const shipped = new Set(paths.flatMap(path => [path, ...foldersOf(path)]))
  const pages = { home, version: manifest.version, isShipped: (path: string) => shipped.has(path.replace(/\/$/, '')) }
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text)
  for (const path of paths) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    if (path.endsWith('.md')) write(path, packedPage(path, textOf(path), pages))
    else if (/^plugins\/.*\.ts$/.test(path)) write(path, packedSource(textOf(path)))
    else if (changed.has(path)) write(path, textOf(path))
    else cpSync(join(root, path), join(folder, path))
  }
  write('package.json', `${JSON.stringify(packedManifest(manifest, home), undefined, 2)}\n`)
  const notices = readFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  write('sbom.cdx.json', `${JSON.stringify(billOfMaterials(root, manifest as Manifest & Billed, notices), undefined, 2)}\n`)
}

function foldersOf(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === '.' ? [] : [folder, ...foldersOf(folder)]
}
