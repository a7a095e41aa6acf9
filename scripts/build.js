// Builds dist/ for publishing: JavaScript and declarations of core, plugins and config. In the repository everything runs from source.

import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

rmSync(join(root, 'dist'), { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
// The compiler does not copy other files.
const catalog = join('plugins', 'catalogs', 'bundled', 'models.json')
if (status === 0) copyFileSync(join(root, catalog), join(root, 'dist', catalog))
process.exitCode = status ?? 1
