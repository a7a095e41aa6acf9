import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
  const anchors = new Set<string>()
  for (const [, heading] of text.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const base = heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let anchor = base
    for (let count = 1; anchors.has(anchor); count++) anchor = `${base}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

interface Reference {
  readonly from: string
  readonly page: string
  readonly anchor: string | undefined
}

function inComments(): Reference[] {
  return globSync('{core,dialects,plugins,config,bench,scripts,examples,test}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  }).flatMap(from =>
    Array.from(readFileSync(join(root, from), 'utf8').matchAll(/(?<![\w/])docs\/[\w/-]+\.md(?:#([\w-]+))?/g), ([whole, anchor]) => ({
      from,
      page: whole.split('#', 1)[0]!,
      anchor,
    })),
  )
}

function inPages(): Reference[] {
  return globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'examples/*/*.md'], { cwd: root }).flatMap(from =>
    Array.from(readFileSync(join(root, from), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([\w-]+))?\)/g), ([, target, anchor]) => ({
      from,
      page: target ? normalize(join(dirname(from), target)) : from,
      anchor,
    })),
  )
}

t.test('every link and every citation leads somewhere', async t => {
  const references = [...inComments(), ...inPages()]
  t.ok(references.length > 100, `${references.length} references`)
  const broken = references.filter(({ page, anchor }) => {
    if (!existsSync(join(root, page))) return true
    return anchor !== undefined && !anchorsOf(page).has(anchor)
  })
  t.same(
    broken.map(({ from, page, anchor }) => `${from} → ${page}${anchor ? `#${anchor}` : ''}`),
    [],
  )
})

t.test('comments cite nothing outside the repository', async t => {
  const strays = globSync('{core,dialects,plugins,config}/**/*.ts', { cwd: root }).filter(file =>
    /\bspec\.md\b|\bcontract\/\w+\.md|(?<!docs\/|docs\/protocol\/)\bdecisions\.md|\bshared\//.test(readFileSync(join(root, file), 'utf8')),
  )
  t.same(strays, [])
})
