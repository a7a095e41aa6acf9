import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressMembers } from './addresses.ts'
import { billOfDependent, billOfMaterials, type Billed } from './sbom.ts'
import type { Stage } from './stage.ts'

/** Fills a folder with create-turnpike, which runs the command of the same version of turnpike. */
export function stageCreate({ root, folder, home, changed }: Stage): void {
  const textOf = (path: string): string => changed?.get(path) ?? readFileSync(join(root, path), 'utf8')
  const manifest = JSON.parse(textOf('create-turnpike/package.json')) as Billed
  for (const file of ['index.js', 'README.md']) cpSync(join(root, 'create-turnpike', file), join(folder, file))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, ...addressMembers(home) }, undefined, 2)}\n`)
  const notices = readFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  const bill = billOfDependent(billOfMaterials(root, JSON.parse(textOf('package.json')) as Billed, notices), manifest)
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`)
}
