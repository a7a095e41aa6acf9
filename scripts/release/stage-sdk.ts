import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressMembers } from './addresses.ts'
import type { Manifest } from './manifest.ts'
import { billOfMaterials, type Billed } from './sbom.ts'
import type { Stage } from './stage.ts'

/** Fills a folder with turnpike-sdk. The build has written it, with the version of the repository and without addresses. */
export function stageSdk({ root, folder, home, changed }: Stage): void {
  cpSync(join(root, 'dist-sdk'), folder, { recursive: true })
  const built = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest & Billed
  const { version } = JSON.parse(changed?.get('package.json') ?? readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const manifest = { ...built, version, ...addressMembers(home) }
  const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(root, manifest, notices), undefined, 2)}\n`)
}
