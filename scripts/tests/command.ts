import { execFileSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the package into a folder that has nothing else of the repository, and returns the path of the command. */
export function buildCommand(folder: string): string {
  execFileSync(process.execPath, [join(root, 'scripts/build.js'), '--javascript-only', '--out', join(folder, 'dist')], { stdio: 'inherit' })
  for (const path of ['package.json', 'bin', 'examples', 'LICENSE']) cpSync(join(root, path), join(folder, path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'bin', 'turnpike.js')
}
