import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'examples/*/*.md'], { cwd: root })
const folders = 'bench|bin|config|core|deploy|dialects|docs|examples|plugins|scripts|test'

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

t.test('every file and folder that a page names exists', async t => {
  // Names with a placeholder, such as `plugins/<kind>`, are skipped.
  const path = new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g')
  const named = pages.flatMap(page => Array.from(textOf(page).matchAll(path), ([, path]) => ({ page, path: path! })))
  t.ok(named.length > 100, `${named.length} paths`)
  t.same(
    named.filter(({ path }) => !existsSync(join(root, path))),
    [],
  )
})

t.test('every name that a page places in a file is in that file', async t => {
  // Such as `Run.#generate` (`core/generation/run.ts`), or several names before one file.
  const place = /((?:`[\w.#]+`(?:,? and |, ))*`[\w.#]+`) \(`([\w/-]+\/[\w.-]+\.ts)`\)/g
  const places = pages.flatMap(page =>
    Array.from(textOf(page).matchAll(place), ([, names, path]) => ({ page, names: names!, path: path! })),
  )
  t.ok(places.length > 50, `${places.length} places`)
  const missing = places.flatMap(({ page, names, path }) => {
    const text = textOf(path)
    return Array.from(names.matchAll(/`([^`]+)`/g), ([, name]) => name!.split('.'))
      .flat()
      .filter(name => !new RegExp(`(?<![\\w#])${name}(?!\\w)`).test(text))
      .map(name => `${page}: ${name} is not in ${path}`)
  })
  t.same(missing, [])
})

t.test('the tree shows every folder of core and every kind of plugin', async t => {
  const [, tree = ''] = /```\n(core\/[^]*?)```/.exec(textOf('docs/architecture.md')) ?? []
  for (const parent of ['core', 'dialects', 'plugins']) {
    const [, inside = ''] = new RegExp(`^${parent}/.*\\n((?: .*\\n)+)`, 'm').exec(tree) ?? []
    const shown = Array.from(inside.matchAll(/^ {2}([\w-]+)\//gm), ([, folder]) => folder!)
    const actual = globSync(`${parent}/*/`, { cwd: root }).map(path => path.split(sep).filter(Boolean).at(-1)!)
    t.same(shown.toSorted(), actual.toSorted(), parent)
  }
})
