import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Code that a page shows between fences. */
export interface CodeBlock {
  /** From the root of the repository. */
  readonly page: string
  readonly line: number
  /** The word after the fence: `ts`, `bash`. Empty for output and pictures. */
  readonly language: string
  readonly text: string
}

/** README.md and docs/. The reference is made of compiled declarations, and compared with them: `api.test.ts`. */
export function pages(): readonly string[] {
  return globSync(['README.md', 'docs/**/*.md'], { cwd: root, exclude: ['docs/reference/**'] })
    .map(path => path.replaceAll(sep, '/'))
    .sort()
}

export function codeBlocks(): readonly CodeBlock[] {
  return pages().flatMap(page => blocksOf(page, readFileSync(join(root, page), 'utf8')))
}

export function blocksOf(page: string, text: string): readonly CodeBlock[] {
  // A block in a list is indented.
  return Array.from(text.matchAll(/^( *)(`{3,})(\w*)\n([^]*?)^\1\2$/gm), ({ index, 1: indent = '', 3: language = '', 4: code = '' }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language,
    text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

export function placeOf({ page, line }: CodeBlock): string {
  return `${page}:${line}`
}
