import { existsSync, readFileSync } from 'node:fs'
import { sectionsOf } from '../release/changelog.ts'
import { declaredText } from './declaration-text.ts'
import type { DeclaredName } from './declared-name.ts'
import { manifest, root, type Door } from './doors.ts'
import { unreleased } from './since.ts'

/** The file, from the root of the repository, with the report of a door as it was committed. */
export function reportFile({ page }: Door): string {
  return `test/fixtures/api/${page}.api.md`
}

export function committedReport(door: Door): CommittedReport {
  const file = `${root}${reportFile(door)}`
  const changelog = readFileSync(`${root}CHANGELOG.md`, 'utf8')
  return new CommittedReport(existsSync(file) ? readFileSync(file, 'utf8') : '', nextVersion(changelog, manifest.version))
}

/** The version of what is new: that in package.json, unless it is released already. */
export function nextVersion(changelog: string, stated: string): string {
  return sectionsOf(changelog).some(({ name }) => name === stated) ? unreleased : stated
}

interface Committed {
  /** By name, or by `Name.member`. */
  readonly since: ReadonlyMap<string, string>
  readonly text: string
}

/** Knows since which version names and their members exist: what the report does not have is new in the next version. */
export class CommittedReport {
  readonly #names: ReadonlyMap<string, Committed>
  readonly #version: string

  constructor(text: string, version: string) {
    this.#version = version
    this.#names = new Map(
      Array.from(text.matchAll(/^```ts\n((?:\/\/ .+, since \S+\n)+)([^]*?)\n```$/gm), ([, lines = '', text = '']) => {
        const since = new Map(Array.from(lines.matchAll(/^\/\/ (.+), since (\S+)$/gm), ([, name = '', version = '']) => [name, version]))
        return [since.keys().next().value!, { since, text }]
      }),
    )
  }

  /** The version since which a name exists. Its `@since` counts more than the report. */
  since({ name, since }: DeclaredName): string {
    return since ?? this.#names.get(name)?.since.get(name) ?? this.#version
  }

  /** The members that are younger than the name, or than the member that has them, with the version since which they exist. */
  younger(declared: DeclaredName): ReadonlyMap<string, string> {
    const { name, members } = declared
    const committed = this.#names.get(name)
    const known = committed && new Set(declaredText(name, committed.text).members.map(({ path }) => path))
    const all = new Map([['', this.since(declared)]])
    const younger = new Map<string, string>()
    for (const { path, since } of members) {
      if (all.has(path)) continue
      const inherited = all.get(outerOf(path, all))!
      const version = since ?? committed?.since.get(`${name}.${path}`) ?? (known?.has(path) === false ? this.#version : inherited)
      all.set(path, version)
      if (version !== inherited) younger.set(path, version)
    }
    return younger
  }
}

/** The member that has this one. Empty for members of the name itself. */
function outerOf(path: string, all: ReadonlyMap<string, unknown>): string {
  const outer = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  return all.has(outer) ? outer : outerOf(outer, all)
}
