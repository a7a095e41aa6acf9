import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isObject, parseJson } from '../../foundation/json.ts'

/** The package of a plugin, and the state that it is in. */
export interface PackageFacts {
  readonly package: string | null
  readonly version: string | null
  readonly commit: string | null
}

/** Reads the nearest `package.json` at this folder or above, and the commit of the folder. */
export function packageFacts(folder: string): PackageFacts {
  const manifest = manifestAbove(folder)
  const text = (name: string): string | null => (typeof manifest?.[name] === 'string' ? (manifest[name] as string) : null)
  return { package: text('name'), version: text('version'), commit: commitOf(folder) ?? text('gitHead') }
}

function manifestAbove(folder: string): Readonly<Record<string, unknown>> | undefined {
  const path = join(folder, 'package.json')
  if (existsSync(path)) {
    const manifest = parseJson(readFileSync(path, 'utf8'))
    if (isObject(manifest)) return manifest
  }
  const parent = dirname(folder)
  return parent === folder ? undefined : manifestAbove(parent)
}

function commitOf(folder: string): string | undefined {
  const commit = git(folder, 'rev-parse', 'HEAD')
  if (commit === undefined) return undefined
  // The report and the badge are made after the commit that they name.
  const changed = git(folder, 'status', '--porcelain', '--', '.', ':(exclude)*conformance*.json', ':(exclude)*conformance*.svg')
  return changed === '' ? commit : `${commit}+changes`
}

/** Undefined if there is no Git, or no repository. */
function git(folder: string, ...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

export function turnpikeVersion(): string {
  return (createRequire(import.meta.url)('turnpike/package.json') as { readonly version: string }).version
}
