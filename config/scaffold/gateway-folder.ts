import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../core/foundation/json.ts'
import { exampleText, ownRange } from './examples.ts'
import type { NewFiles } from './new-files.ts'

export interface GatewayChoices {
  readonly docker: boolean
  /** Needs the Dockerfile. */
  readonly compose: boolean
}

const frame = 'gateway'
/** Nobody wants these in version control. */
export const ignored = ['node_modules/', 'data/', '.env'] as const

/** The files of a gateway for a folder, which may have some already. */
export function gatewayFolder(folder: string, { docker, compose }: GatewayChoices): NewFiles {
  const copied = ['.env.example', 'tsconfig.json', ...(docker || compose ? dockerFiles : []), ...(compose ? ['compose.yaml'] : [])]
  return new Map([
    [configIn(folder), exampleText(`${frame}/gateway.config.ts`)],
    ['package.json', manifest()],
    // npm would not pack a file of this name among the examples.
    ['.gitignore', `${ignored.join('\n')}\n`],
    ...copied.map(file => [file, exampleText(`${frame}/${file}`)] as const),
  ])
}

const dockerFiles = ['Dockerfile', '.dockerignore']

/** The config that is there, or the name for a new one: in a package of CommonJS, a `.ts` file would not be a module for the compiler. */
function configIn(folder: string): string {
  const existing = existsSync(folder)
    ? readdirSync(folder).find(name => /^gateway\.config\.([cm]?[jt]s|jsonc?|ya?ml)$/.test(name))
    : undefined
  if (existing !== undefined) return existing
  const known = manifestIn(folder)
  return known === undefined || known['type'] === 'module' ? 'gateway.config.ts' : 'gateway.config.mts'
}

/** The package.json of a folder, if it has one that can be read. */
function manifestIn(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isObject(manifest) ? manifest : undefined
  } catch {
    return undefined
  }
}

/** The package.json of the folder with everything that a gateway wants, if `npm install` made it: then it lists nothing but packages. */
export function completedManifest(folder: string): string | undefined {
  const own = manifestIn(folder)
  if (own === undefined || Object.keys(own).some(member => member !== 'dependencies' && member !== 'devDependencies')) return undefined
  const made = JSON.parse(manifest()) as Readonly<Record<string, object>>
  const [dependencies, devDependencies] = ['dependencies', 'devDependencies'].map(member => ({
    ...made[member],
    ...(own[member] as object),
  }))
  return `${JSON.stringify({ ...made, dependencies, devDependencies }, undefined, 2)}\n`
}

/** True if the package.json of the folder lists Turnpike. */
export function dependsOnTurnpike(folder: string): boolean {
  const { dependencies, devDependencies } = manifestIn(folder) ?? {}
  return [dependencies, devDependencies].some(each => isObject(each) && 'turnpike' in each)
}

function manifest(): string {
  const template = JSON.parse(exampleText(`${frame}/package.json`)) as object
  return `${JSON.stringify({ ...template, dependencies: { turnpike: ownRange() } }, undefined, 2)}\n`
}
