import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The sources. A new version may have a different shape: update one at a time and read the output of `npm run catalog`. */
export const packages = {
  piCatalog: { name: '@oh-my-pi/pi-catalog', version: '18.2.11' },
  piAi: { name: '@earendil-works/pi-ai', version: '1.5.2' },
  mastra: { name: '@mastra/core', version: '1.71.0' },
  genaiPrices: { name: '@pydantic/genai-prices', version: '0.1.8' },
} as const

export type PackageKey = keyof typeof packages
export type Folders = Readonly<Record<PackageKey, string>>

const keys = Object.keys(packages) as PackageKey[]

/** Fetches the packages with npm and unpacks them, without installing them or running their scripts. */
export function unpack(into: string): Folders {
  return Object.fromEntries(keys.map(key => [key, fetched(key, join(into, key))])) as Folders
}

function fetched(key: PackageKey, folder: string): string {
  const { name, version } = packages[key]
  mkdirSync(folder, { recursive: true })
  execFileSync('npm', ['pack', `${name}@${version}`, '--ignore-scripts', '--silent', '--pack-destination', folder])
  execFileSync('tar', ['-xzf', `${name.slice(1).replace('/', '-')}-${version}.tgz`], { cwd: folder })
  return join(folder, 'package')
}

/** The notice that each package's license requires with its data. */
export function notices(folders: Folders): string[] {
  return keys.map(key => {
    const { author, license } = readJson(folders[key], 'package.json') as { author?: string; license: string }
    const file = join(folders[key], 'LICENSE')
    const lines = existsSync(file) ? (readFileSync(file, 'utf8').match(/^Copyright .*$/gm) ?? []) : author ? [`Copyright ${author}`] : []
    return [`${packages[key].name} ${packages[key].version}`, license, ...lines].join(', ')
  })
}

export function readJson(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(...path), 'utf8'))
}
