import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { secret } from '../../plugins/guardrails/redaction/detectors/secret.ts'
import type { Manifest } from './manifest.ts'
import type { Packed } from './npm.ts'

/** The files that a package must and may have. */
export interface TarballRules {
  /** In bytes. */
  readonly limits: Readonly<Record<'size' | 'unpackedSize', number>>
  /** Users and tools look for these. */
  readonly required: readonly string[]
  /** Everything that may be in the package. */
  readonly expected: readonly RegExp[]
}

/** Whatever else allows them. */
const refused = /(^|\/)(\.env|\.npmrc|\.git|node_modules|data)(\/|$)|\.(pem|key|p12|db|sqlite|log|map|tgz)$|^(?!examples\/).*\.test\./

/** All that is wrong with a packed folder, in sentences. `built` is the folder in which it was built. */
export async function tarballProblems(folder: string, packed: Packed, built: string, rules: TarballRules): Promise<readonly string[]> {
  const paths = packed.files.map(({ path }) => path)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  return [
    ...missing(paths, manifest, rules.required),
    ...paths
      .filter(path => refused.test(path) || !rules.expected.some(pattern => pattern.test(path)))
      .map(path => `${path} does not belong in it`),
    ...tooLarge(packed, rules.limits),
    ...packed.files.filter(({ mode }) => (mode & 0o022) !== 0).map(({ path }) => `${path} can be written by anybody`),
    ...(await leaks(folder, paths, [built, homedir()])),
  ]
}

function missing(paths: readonly string[], { exports, bin = {} }: Manifest, required: readonly string[]): readonly string[] {
  const conditions = Object.values(exports ?? {}).flatMap(target => (typeof target === 'string' ? [target] : Object.values(target)))
  const targets = [...conditions, ...Object.values(bin as Readonly<Record<string, string>>)].map(target => target.replace(/^\.\//, ''))
  const absent = [...required, ...targets].filter(path => !paths.some(each => matches(each, path)))
  return absent.map(path => `${path} is missing`)
}

function matches(path: string, target: string): boolean {
  const [before = '', after] = target.split('*')
  return after === undefined ? path === target : path.startsWith(before) && path.endsWith(after)
}

function tooLarge(packed: Packed, limits: TarballRules['limits']): readonly string[] {
  return (['size', 'unpackedSize'] as const)
    .filter(name => packed[name] > limits[name])
    .map(name => `its ${name} is ${packed[name]} bytes: expected at most ${limits[name]}. If that is meant, change the limit`)
}

/** Secrets that are made up for pages and examples. */
const fictional = /demo|example|acme|:password|…|\.\.\./i

async function leaks(folder: string, paths: readonly string[], places: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = []
  for (const path of paths.filter(path => /\.(js|ts|json|md|txt|ya?ml|conf|cfg|service|css|svg)$/.test(path))) {
    const text = readFileSync(join(folder, path), 'utf8')
    for (const place of places)
      if (place.length > 5 && text.includes(place)) problems.push(`${path} names ${place}, a folder of the machine that built it`)
    // Bundles hold the patterns of secrets, and no text of anybody.
    if (path.startsWith('dist/')) continue
    for (const { start, end } of await secret.find(text)) {
      const found = text.slice(start, end)
      const line = text.slice(0, start).split('\n').length
      if (!fictional.test(text.slice(start - 40, end))) problems.push(`${path}:${line} may hold a secret: ${found.slice(0, 4)}…`)
    }
  }
  return problems
}
