import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** The command that `npm test` has built for all tests. */
const built = process.env['TURNPIKE_COMMAND']
/** Why there is no such stage. */
export const noBuiltStage: string | false = built === undefined ? 'needs the built command: npm test -- test/deploy' : false

/** Makes a folder that stands for the stage "build" of the Dockerfile, of what `npm test` has built anyway. */
export function makeBuiltStage(root: string): void {
  const source = dirname(dirname(built!))
  const modules = join(root, 'gateway/node_modules')
  mkdirSync(join(modules, 'turnpike'), { recursive: true })
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(source, name), join(modules, 'turnpike', name), { recursive: true })
  for (const name of packagesBelow('.')) cpSync(join(repository, 'node_modules', name), join(modules, name), { recursive: true })
  for (const file of ['gateway.config.ts', 'deploy/docker/health.mjs'])
    cpSync(join(repository, file), join(root, 'gateway', file.split('/').at(-1)!))
}

/** The packages that a package of the repository needs, and those that they need. */
export function packagesBelow(folder: string, found = new Set<string>()): ReadonlySet<string> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(dependencies)) {
    if (found.has(name) || !existsSync(join(repository, 'node_modules', name))) continue
    found.add(name)
    packagesBelow(join('node_modules', name), found)
  }
  return found
}
