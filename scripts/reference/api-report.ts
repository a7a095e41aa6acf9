import { existsSync, readFileSync } from 'node:fs'
import type { DeclaredApi } from './declared-api.ts'
import type { DeclaredName } from './declared-name.ts'
import { manifest, root, type Door } from './doors.ts'

/** The file, from the root of the repository, with the report of a door as it was committed. */
export function reportFile({ page }: Door): string {
  return `test/fixtures/api/${page}.api.md`
}

/** The version since which a door has a name: as its `@since` says, else as the committed report, else this one. */
export function sinceIn(door: Door): (name: DeclaredName) => string {
  const file = `${root}${reportFile(door)}`
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const known = new Map(Array.from(committed.matchAll(/^\/\/ (\S+), since (\S+)$/gm), ([, name = '', version = '']) => [name, version]))
  return ({ name, since }) => since ?? known.get(name) ?? manifest.version
}

/** Every name of a door with its members, as its users can see them. */
export function apiReport({ door, exported, shown }: DeclaredApi): string {
  const since = sinceIn(door)
  return [
    `# ${door.address}\n`,
    '<!-- Written by `npm run docs`. A change here is a change of what the package promises. -->\n',
    ...exported.map(each => fence(`// ${each.name}, since ${since(each)}\n${each.text}`)),
    ...(shown.length > 0 ? ['## Shown, but not exported\n', ...shown.map(each => fence(each.text))] : []),
  ].join('\n')
}

function fence(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\`\n`
}

/** The names and members without a comment, as `door: Name.member`. */
export function undocumented(apis: readonly DeclaredApi[]): readonly string[] {
  return apis.flatMap(({ door, exported }) =>
    exported.flatMap(({ name, doc, members }) => {
      const found = members.filter(each => each.doc === '' && !each.plain).map(({ path }) => `${door.address}: ${name}.${path}`)
      return [...(doc === '' ? [`${door.address}: ${name}`] : []), ...new Set(found)]
    }),
  )
}
