// Packs turnpike, turnpike-sdk and create-turnpike as they are published: `npm run pack`. The tarballs go into the current folder, or into
// --pack-destination. --check checks what is in them, their size, secrets, and with publint and attw, which npm downloads.
//
//   node --conditions=turnpike-source scripts/pack.ts [--pack-destination folder] [--built] [--check]

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { repository } from './release/addresses.ts'
import { build } from './release/build.ts'
import { tarballs } from './release/packages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    'pack-destination': { type: 'string', default: '.' },
    /** dist/ and dist-sdk/ are there. */
    built: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'turnpike-pack-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
mkdirSync(values['pack-destination'], { recursive: true })
if (!values.built) build(root)
const made = await tarballs(
  { root, home: repository },
  { scratch: folder, destination: values['pack-destination'], isChecked: values.check },
)
const problems = made.flatMap(({ problems }) => problems)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
for (const { file } of made) console.log(file)
