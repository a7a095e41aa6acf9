import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { linkedFile, linksOf } from '../../scripts/release/links.ts'
import { placesOf } from './places.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = globSync(['*.md', 'llms.txt', '{docs,examples,bench,deploy,scripts}/**/*.md'], { cwd: root }).map(path =>
  path.replaceAll(sep, '/'),
)
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

t.test('every link leads to a file and a heading that are there', async t => {
  let links = 0
  const dead = pages.flatMap(page =>
    linksOf(textOf(page)).flatMap(({ target }) => {
      const file = linkedFile(page, target)
      const [, place] = target.split('#')
      if (file === undefined && !target.startsWith('#')) return []
      links++
      const path = file ?? page
      if (!existsSync(join(root, path))) return `${page}: ${target}`
      if (place === undefined || !path.endsWith('.md')) return []
      return placesOf(textOf(path)).has(place) ? [] : `${page}: ${target} is no heading`
    }),
  )
  t.ok(links > 500, `${links} links`)
  t.same(dead, [])
})

t.test('no page has the marks of a merge', async t => {
  const marked = pages.filter(page => /^(<{7} |={7}$|>{7} )/m.test(textOf(page)))
  t.same(marked, [])
})

t.test('links are found as readers see them', async t => {
  const page = [
    'See [one](a.md) and [`two`](b/c.md#place "title"), ![three](d.png), [a [b] c](e.md).',
    '`[not](code.md)` and ``[not](code.md)``',
    '```md\n[not](fenced.md)\n```',
    '[site](https://example.com/x.md), [here](#place)',
  ].join('\n\n')
  t.same(
    linksOf(page).map(({ target }) => target),
    ['a.md', 'b/c.md#place', 'd.png', 'e.md', 'https://example.com/x.md', '#place'],
  )
  t.same(
    ['upgrades.md', '../x.md#y', '#place', 'https://example.com', 'mailto:a@example.com'].map(target =>
      linkedFile('docs/install.md', target),
    ),
    ['docs/upgrades.md', 'x.md', undefined, undefined, undefined],
  )
  t.same([...placesOf('# One `two`\n\n```\n# not\n```\n\n## One `two`\n\n## A, b & C_d!\n')], ['one-two', 'one-two-1', 'a-b--c_d'])
})
