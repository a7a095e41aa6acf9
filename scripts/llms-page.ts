// llms.txt in the form of https://llmstxt.org: what the documentation has, for programs that read it.

import { readFileSync } from 'node:fs'
import { pagesIndex } from './pages-index.ts'

export function llmsPage(): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, about = ''] = /^# .+\n\n(.+)$/m.exec(readme) ?? []
  const groups = pagesIndex().map(({ title, pages }) => {
    const lines = pages.map(({ title, path, summary }) => `- [${title}](docs/${path}): ${plain(summary)}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# Turnpike\n\n> ${about}\n\nThe links lead from this file to pages in Markdown.\n\n${groups.join('\n')}`
}

/** A summary may link to other pages. */
function plain(summary: string): string {
  return summary.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}
