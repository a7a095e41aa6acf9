// The table of contracts in docs/plugins.md.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { contracts } from '../core/framework/contract-versions.ts'
import { extensionPoints } from '../core/framework/extension-points.ts'
import { contractOf } from '../core/foundation/token.ts'

const page = new URL('../docs/plugins.md', import.meta.url)
const [begin, end] = ['<!-- contracts: written by npm run docs -->\n', '<!-- end -->']
const doors = { turnpike: 'index', 'turnpike/kit': 'kit', 'turnpike/stores': 'stores', 'turnpike/admin': 'admin' }

/** The page with its table as the code states it. */
export function pluginsPage(): string {
  const text = readFileSync(page, 'utf8')
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)]
  if (start < 0 || stop < start) throw new Error(`${fileURLToPath(page)} needs the lines ${begin} and ${end}`)
  return `${text.slice(0, start)}${begin}\n${contractsTable()}\n${text.slice(stop)}`
}

function contractsTable(): string {
  const kinds = new Map(extensionPoints.map(({ token, create }) => [contractOf(token).name, create().kind]))
  const rows = contracts.map(({ name, version, oldest = version, stability }) => {
    const kind = kinds.get(name)
    return `| \`${name}\` | ${kind === undefined ? 'service' : `extension point: ${kind}s`} | \`${doorOf(name)}\` | ${oldest < version ? `${version}; ${oldest} loads` : version} | ${stability} |`
  })
  return ['| contract | what it is | import from | version | stability |', '|---|---|---|---|---|', ...rows, ''].join('\n')
}

function doorOf(name: string): string {
  const [door] = Object.entries(doors).find(([, file]) => new RegExp(`\\b${name}\\b`).test(sourceOf(file))) ?? []
  if (door === undefined) throw new Error(`No door exports ${name}`)
  return door
}

function sourceOf(door: string): string {
  return readFileSync(new URL(`../core/${door}.ts`, import.meta.url), 'utf8')
}
