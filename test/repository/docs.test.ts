import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { configurationPage } from '../../scripts/configuration-page.ts'
import { fieldsPage } from '../../scripts/fields-page.ts'
import { llmsPage } from '../../scripts/llms-page.ts'
import { longChecksPage } from '../../scripts/long-checks-page.ts'
import { longChecks } from '../../scripts/tests/long-checks.ts'
import lastResults from '../../scripts/tests/long-results.json' with { type: 'json' }
import { pagesIndex } from '../../scripts/pages-index.ts'
import { pluginsPage } from '../../scripts/contracts-table.ts'
import { providersPage } from '../../scripts/providers-page.ts'
import { serverSchema } from '../../config/schema.ts'
import type { PluginUse } from '../../core/index.ts'

t.test('the generated pages tell the code as it is', async t => {
  const committed = (page: string): string => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  t.equal(committed('configuration.md'), await configurationPage(), 'run `npm run docs`')
  t.equal(committed('fields.md'), fieldsPage(), 'run `npm run docs`')
  t.equal(committed('plugins.md'), pluginsPage(), 'run `npm run docs`')
  t.equal(committed('providers.md'), providersPage(), 'run `npm run docs`')
})

t.test('the page about long checks tells the last run of all of them', async t => {
  t.equal(
    readFileSync(new URL('../../docs/long-checks.md', import.meta.url), 'utf8'),
    longChecksPage(lastResults),
    'run `npm run test:long`',
  )
  t.same(
    lastResults.map(({ name }) => name),
    longChecks.map(({ name }) => name),
  )
  for (const { name, passed, failed, skipped } of lastResults) t.ok(passed > 0 && failed === 0 && skipped === 0, name)
  for (const { date, commit } of lastResults) t.match({ date, commit }, { date: /^\d{4}-\d\d-\d\d$/, commit: /^[0-9a-f]{10}$/ })
})

t.test('every option is explained', async t => {
  for (const line of (await configurationPage()).split('\n')) {
    // Members of an option are explained with it.
    if (/^\| `\w+` /.test(line)) t.notMatch(line, /\| {2}\|$/, line)
  }
})

t.test('no option in milliseconds takes more than a timer can wait', async t => {
  let found = 0
  const check = (name: string, schema: Schema): void => {
    const { properties = {}, items, additionalProperties, anyOf = [] } = schema
    for (const [option, each] of Object.entries(properties)) {
      const path = `${name}.${option}`
      const numbers = [each, ...(each.anyOf ?? [])].filter(({ type }) => type === 'integer' || type === 'number')
      if (/Ms$|^hedgeAfter$/.test(option))
        for (const { maximum } of numbers) t.ok(++found && maximum !== undefined && maximum <= 2_147_483_647, `${path}: ${maximum}`)
      check(path, each)
    }
    for (const each of [items, additionalProperties, ...anyOf]) if (typeof each === 'object') check(name, each)
  }
  check('server', serverSchema as Schema)
  for (const file of globSync('plugins/*/*/index.ts', { cwd: root })) {
    const { default: plugin } = (await import(join(root, file))) as { readonly default: (options: object) => PluginUse }
    check(file, plugin({}).plugin.options as Schema)
  }
  t.ok(found > 50, `${found} options`)
})

interface Schema {
  readonly type?: string
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
}

const root = fileURLToPath(new URL('../..', import.meta.url))

t.test('the README lists every page', t => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  for (const page of globSync('docs/{,learn/}*.md', { cwd: root }).map(path => path.replaceAll(sep, '/'))) t.match(readme, `(${page})`)
  t.match(readme, '(docs/protocol/README.md)')
  t.end()
})

t.test('docs/README.md says in a line what each page is for', t => {
  const listed = pagesIndex().flatMap(({ pages }) => pages)
  const every = globSync('docs/**/*.md', { cwd: root }).map(path => path.slice('docs/'.length).replaceAll(sep, '/'))
  t.same(listed.map(({ path }) => path).sort(), every.filter(path => path !== 'README.md').sort())
  for (const { path, title, summary } of listed) t.ok(title.length > 1 && summary.length < 150, path)
  t.equal(readFileSync(join(root, 'llms.txt'), 'utf8'), llmsPage(), 'run `npm run docs`')
  t.end()
})

t.test('a line of a page does not begin with a comment', t => {
  // Code hosts show the rest of such a line as it is written.
  for (const page of globSync('docs/**/*.md', { cwd: root })) t.notMatch(readFileSync(join(root, page), 'utf8'), /^<!--.*-->[^\n]/m, page)
  t.end()
})

t.test('code that pages show from the examples is the tested files', async t => {
  const small = 'examples/{small-plugins,custom-sort,custom-tool,tour}/*.ts'
  const shown = globSync('docs/**/*.md', { cwd: root }).flatMap(page =>
    Array.from(
      readFileSync(join(root, page), 'utf8').matchAll(/```ts\n\/\/ (From )?(examples\/\S+)\n([^]*?)```/g),
      ([, from, file = '', text = '']) => ({ page, isPart: from !== undefined, file, text }),
    ),
  )
  const whole = new Set(shown.filter(({ isPart }) => !isPart).map(({ file }) => file))
  t.same(
    globSync(small, { cwd: root }).filter(file => !whole.has(file.replaceAll(sep, '/'))),
    [],
  )
  for (const { page, isPart, file, text } of shown) {
    const source = readFileSync(join(root, file), 'utf8')
    if (isPart) t.ok(source.includes(text), `${page}: ${file}`)
    else t.equal(text, source, `${page}: ${file}`)
  }
})
