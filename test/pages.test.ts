import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md'], { cwd: root })
const folders = 'bench|bin|config|core|docs|examples|plugins|scripts|test'

function matches(page: string, pattern: RegExp): RegExpExecArray[] {
  return [...readFileSync(join(root, page), 'utf8').matchAll(pattern)]
}

t.test('every file and folder that a page names exists', t => {
  // Names with a placeholder, such as `plugins/<kind>`, are skipped.
  const named = pages.flatMap(page => matches(page, new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g')).map(([, path]) => ({ page, path: path! })))
  t.ok(named.length > 100, `${named.length} paths`)
  t.same(
    named.filter(({ path }) => !existsSync(join(root, path))),
    [],
  )
  t.end()
})

t.test('every name that a page places in a file is in that file', t => {
  // Such as `Run.#generate` (`core/generation/run.ts`).
  const places = pages.flatMap(page =>
    matches(page, /((?:`[\w.#]+`(?:,? and |, ))*`[\w.#]+`) \(`([\w/-]+\/[\w.-]+\.ts)`\)/g).map(([, names, path]) => ({ page, names: names!, path: path! })),
  )
  t.ok(places.length > 50, `${places.length} places`)
  const missing = places.flatMap(({ page, names, path }) => {
    const text = readFileSync(join(root, path), 'utf8')
    return (names.match(/[\w#]+/g) ?? [])
      .filter(name => name !== 'and' && !new RegExp(`(?<![\\w#])${name}(?!\\w)`).test(text))
      .map(name => `${page}: ${name} is not in ${path}`)
  })
  t.same(missing, [])
  t.end()
})
