import type { CommittedReport } from './committed-report.ts'
import type { DeclaredApi } from './declared-api.ts'
import type { DeclaredName } from './declared-name.ts'
import { sinceLine } from './since.ts'

/** Every name of a door with its members, as its users can see them. */
export function apiReport({ door, exported, shown }: DeclaredApi, committed: CommittedReport): string {
  return [
    `# ${door.address}\n`,
    '<!-- Written by `npm run docs`. A change here is a change of what the package promises. -->\n',
    ...exported.map(each => fence(`${sinceLines(each, committed)}\n${each.text}`)),
    ...(shown.length > 0 ? ['## Shown, but not exported\n', ...shown.map(each => fence(each.text))] : []),
  ].join('\n')
}

function sinceLines(declared: DeclaredName, committed: CommittedReport): string {
  const members = Array.from(committed.younger(declared), ([path, version]) => [`${declared.name}.${path}`, version] as const)
  return [[declared.name, committed.since(declared)] as const, ...members].map(([name, version]) => sinceLine(name, version)).join('\n')
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
