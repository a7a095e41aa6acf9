// Makes what the generator reads of the pages in docs/: a title in front of each, and links between pages of the site.

import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pagesIndex } from '../scripts/pages-index.ts'
import { fileAddress, repository } from '../scripts/release/addresses.ts'
import { changeLinks, linkedFile } from '../scripts/release/links.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const content = join(root, 'site/src/content/docs')
const publicFiles = join(root, 'site/public')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }

/** The pages by their files, each with its address in the site: `protocol/http.md` is at `protocol/http/`. */
const addresses = new Map<string, string>([
  ['README.md', ''],
  ['docs/README.md', ''],
  ['CHANGELOG.md', 'changelog/'],
  ...pagesIndex()
    .flatMap(({ pages }) => pages)
    .map(({ path }) => [`docs/${path}`, path.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '/')] as const),
])

export function writePages(): void {
  for (const folder of [content, publicFiles]) rmSync(folder, { recursive: true, force: true })
  const summaries = new Map<string, string>(
    pagesIndex().flatMap(({ pages }) => pages.map(({ path, summary }) => [`docs/${path}`, summary] as const)),
  )
  for (const [file, address] of addresses) if (file !== 'docs/README.md') writePage(file, address, summaries.get(file))
  for (const file of filesOf('docs/**/*.{png,svg}')) copy(file, join(content, file.slice('docs/'.length)))
  for (const file of ['llms.txt', ...filesOf('docs/**/*.{md,png,svg}')]) copy(file, join(publicFiles, file))
  copy('plugins/endpoints/dashboard/app/icon.svg', join(publicFiles, 'favicon.svg'))
  writeFileSync(join(root, 'site/src/sidebar.json'), JSON.stringify(sidebar()))
}

function writePage(file: string, address: string, summary: string | undefined): void {
  const text = readFileSync(join(root, file), 'utf8')
  const [heading, title = ''] = /^# (.+)\n/m.exec(text)!
  const front = { title: title.replaceAll('`', ''), ...(summary && { description: summary.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1') }) }
  const lines = Object.entries(front).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  const path = join(content, `${address === '' || address.endsWith('/') ? address.replace(/\/$/, '') || 'index' : address}.md`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `---\n${lines.join('')}---\n\n${changeLinks(text.replace(heading, ''), link => onSite(file, address, link))}`)
}

/** Relative, so that the site works below any address. */
function onSite(
  file: string,
  address: string,
  { label, target, isImage }: { readonly label: string; readonly target: string; readonly isImage: boolean },
): string | undefined {
  const path = linkedFile(file, target)
  if (path === undefined) return undefined
  if (isImage) return `![${label}](./${posix.relative(folderOf(address), path.replace(/^docs\//, ''))})`
  const place = /#.*/.exec(target)?.[0] ?? ''
  const other = addresses.get(path.endsWith('/') ? `${path}README.md` : path)
  if (other !== undefined) return `[${label}](${relativeAddress(address, other)}${place})`
  return repository === '' ? label : `[${label}](${fileAddress(repository, version, path)}${place})`
}

function relativeAddress(from: string, to: string): string {
  const path = posix.relative(`/${from}`, `/${to}`)
  return path === '' ? './' : `${path.startsWith('.') ? '' : './'}${path}/`
}

/** In which the generator keeps the file of a page. */
function folderOf(address: string): string {
  return posix.dirname(address.replace(/\/$/, '') || 'index')
}

function sidebar(): readonly object[] {
  const [protocol] = pagesIndex().filter(({ title }) => title === 'Protocol')
  const groups = pagesIndex().map(({ title, pages }) => ({
    label: title,
    collapsed: title === protocol?.title,
    items: pages.map(({ title, path }) => ({ label: title, slug: addresses.get(`docs/${path}`)!.replace(/\/$/, '') })),
  }))
  return [...groups, { label: 'Changelog', slug: 'changelog' }]
}

function filesOf(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: root }).map(path => path.replaceAll(sep, '/'))
}

function copy(file: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(root, file), to)
}
