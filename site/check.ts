import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

/** Links of the built site that lead nowhere, and everything that a page would load from another site, such as a tracker. */
export function siteProblems(folder: string): readonly string[] {
  const pages = globSync('**/*.html', { cwd: folder }).map(path => path.replaceAll(sep, '/'))
  if (pages.length < 40) return [`expected more than ${pages.length} pages in ${folder}`]
  const texts = new Map(pages.map(page => [page, readFileSync(join(folder, page), 'utf8')]))
  return [...texts].flatMap(([page, text]) => [
    ...Array.from(text.matchAll(/<a [^>]*?href="([^"]+)"/g), ([, target]) => deadLink(folder, texts, page, target!)).filter(
      problem => problem !== undefined,
    ),
    ...Array.from(text.matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="((?:https?:)?\/\/[^"]+)"/g), ([tag, address]) =>
      /rel="canonical"/.test(tag) ? [] : [`${page} loads ${address}`],
    ).flat(),
  ])
}

function deadLink(folder: string, texts: ReadonlyMap<string, string>, page: string, target: string): string | undefined {
  if (/^([a-z]+:|\/\/)/i.test(target)) return undefined
  const [path = '', place = ''] = target.replaceAll('&amp;', '&').split('#')
  const file = path === '' ? page : fileOf(path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path))
  if (!existsSync(join(folder, file))) return `${page}: ${target} leads to no page`
  if (place === '' || !texts.has(file)) return undefined
  const id = decodeURIComponent(place)
  return texts.get(file)!.includes(`id="${id}"`) ? undefined : `${page}: ${target} is no heading`
}

function fileOf(path: string): string {
  return path === '' || path === '.' || path.endsWith('/') ? posix.join(path, 'index.html') : path
}
