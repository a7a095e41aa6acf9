// The pages of docs/, as docs/README.md and docs/protocol/README.md list them: for llms.txt and the site.

import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface PageGroup {
  readonly title: string
  readonly pages: readonly ListedPage[]
}

export interface ListedPage {
  readonly title: string
  /** From docs/, such as `protocol/http.md`. */
  readonly path: string
  readonly summary: string
}

const docs = fileURLToPath(new URL('../docs/', import.meta.url))
const row = /^\| \[([^\]]+)\]\(([\w./-]+\.md)\) \| (.+) \|$/gm

/** The groups of docs/README.md in their order, then one for each page there that lists pages itself. */
export function pagesIndex(): readonly PageGroup[] {
  const groups = textOf('README.md')
    .split(/^## /m)
    .slice(1)
    .map(part => ({ title: part.slice(0, part.indexOf('\n')), pages: pagesIn(part, '.') }))
  const inner = groups.flatMap(({ pages }) => pages.filter(({ path }) => path.endsWith('/README.md')))
  return [...groups, ...inner.map(({ title, path }) => ({ title, pages: pagesIn(textOf(path), posix.dirname(path)) }))]
}

function pagesIn(text: string, folder: string): readonly ListedPage[] {
  return Array.from(text.matchAll(row), ([, label = '', target = '', summary = '']) => {
    const path = posix.join(folder, target)
    return { title: label.endsWith('.md') ? headingOf(path) : label, path, summary }
  })
}

function headingOf(path: string): string {
  return /^# (.+)$/m.exec(textOf(path))![1]!
}

function textOf(path: string): string {
  return readFileSync(`${docs}${path}`, 'utf8')
}
