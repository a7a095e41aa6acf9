// Packs the package as it is published: `npm run pack`. The tarball goes into the current folder, or into --pack-destination. --check
// checks it: what is in it, its size, secrets, and with publint and attw, which npm downloads.
//
//   node --conditions=turnpike-source scripts/pack.ts [--pack-destination folder] [--built] [--check]

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { repository } from './release/addresses.ts'
import { build } from './release/build.ts'
import { pack } from './release/npm.ts'
import { outsideProblems } from './release/outside-checks.ts'
import { stage } from './release/stage.ts'
import { tarballProblems } from './release/tarball-checks.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    'pack-destination': { type: 'string', default: '.' },
    /** dist/ is there. */
    built: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'turnpike-pack-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
if (!values.built) build(root)
stage({ root, folder, home: repository })
mkdirSync(values['pack-destination'], { recursive: true })
const packed = pack(folder, '--pack-destination', resolve(values['pack-destination']))
const tarball = resolve(values['pack-destination'], packed.filename)
const problems = values.check ? [...(await tarballProblems(folder, packed, root)), ...outsideProblems(tarball)] : []
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
console.log(tarball)
