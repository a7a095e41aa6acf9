import type { CommittedReport } from './committed-report.ts'
import type { DeclaredApi } from './declared-api.ts'
import type { DeclaredName } from './declared-name.ts'
import { sinceSentence } from './since.ts'

const headings = { function: 'Functions', class: 'Classes', value: 'Values', type: 'Types and tokens' } as const

/** The subject of each door, for the list of pages. */
const subjects: Readonly<Record<string, string>> = {
  turnpike: 'Plugins, contracts, requests and events: enough for a first plugin.',
  kit: 'Building blocks of providers and engines over HTTP, routes, tools and guardrails.',
  dialects: 'Providers as tables: vendors whose API is a dialect of Chat Completions, Responses or Messages.',
  stores: 'Contracts of stores, and the parts for writing one.',
  admin: 'The admin API and the pages of the dashboard.',
  config: 'Functions for `gateway.config.ts`.',
  gateway: 'Gateways in your own process.',
  testing: 'Test gateways, scripted vendors, and the suite of each contract.',
}

/** The page about one door in docs/reference. */
export function referencePage({ door, exported }: DeclaredApi, committed: CommittedReport): string {
  const parts = Object.entries(headings).flatMap(([kind, heading]) => {
    const names = exported.filter(each => each.kind === kind)
    return names.length > 0 ? [`## ${heading}\n`, ...names.map(each => section(each, committed))] : []
  })
  return [`# ${door.address}\n`, `<!-- written by npm run docs -->\n`, `${subjectOf(door.page)}\n`, ...parts].join('\n')
}

/** The list of the pages in docs/reference. */
export function referenceIndex(apis: readonly DeclaredApi[]): string {
  return [
    '# Reference\n',
    '<!-- written by npm run docs -->\n',
    'Each page lists what one door of the package exports. [Plugins](../plugins.md) explains how to use it, [configuration](../configuration.md) has the options of the plugins in the package.\n',
    '| page | covers |',
    '|---|---|',
    ...apis.map(({ door }) => `| [${door.address}](${door.page}.md) | ${subjectOf(door.page)} |`),
    '',
    '## Types in your project\n',
    'Install TypeScript 5.9 or later and `@types/node`, because declarations mention types of Node.js such as `Buffer`. They bring these themselves, so `tsconfig.json` needs no `"types"`:\n',
    '```json',
    '{ "compilerOptions": { "module": "nodenext", "target": "es2024", "strict": true } }',
    '```',
    '',
    'Instead of `"module": "nodenext"`, `"moduleResolution": "bundler"` works, too. All doors compile with `"skipLibCheck": false`.',
    '',
  ].join('\n')
}

function subjectOf(page: string): string {
  const subject = subjects[page]
  if (subject === undefined) throw new Error(`expected a sentence about the door '${page}' in scripts/reference/reference-page.ts`)
  return subject
}

function section(declared: DeclaredName, committed: CommittedReport): string {
  const { name, kind, doc, text, members } = declared
  const younger = committed.younger(declared)
  const since = (path: string): string => (younger.has(path) ? sinceSentence(younger.get(path)!) : '')
  const described = members.map(({ path, doc }) => ({ path, told: `${doc} ${since(path)}`.trim() })).filter(({ told }) => told !== '')
  return [
    `### ${name}\n`,
    ...(doc === '' ? [] : [`${linked(doc)}\n`]),
    `${sinceSentence(committed.since(declared))}\n`,
    `\`\`\`ts\n${kind === 'value' ? shortened(text) : text}\n\`\`\`\n`,
    ...(described.length > 0
      ? ['| member | description |', '|---|---|', ...described.map(({ path, told }) => `| \`${path}\` | ${cell(told)} |`), '']
      : []),
  ].join('\n')
}

/** A schema as long as a page says little about its name. */
function shortened(text: string): string {
  const lines = text.split('\n')
  return lines.length > 60 ? [...lines.slice(0, 5), '  …', lines.at(-1)].join('\n') : text
}

/** Names of pages in comments, as links. */
function linked(text: string): string {
  return text.replace(/\bdocs\/([\w/-]+\.md(?:#[\w-]+)?)/g, '[$1](../$1)')
}

function cell(text: string): string {
  return linked(text)
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
}
