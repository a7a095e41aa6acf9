import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { configurationPage } from '../../scripts/configuration-page.ts'
import { providersPage } from '../../scripts/providers-page.ts'

t.test('the generated pages tell the code as it is', async t => {
  const committed = (page: string): string => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  t.equal(committed('configuration.md'), await configurationPage(), 'run `npm run docs`')
  t.equal(committed('providers.md'), providersPage(), 'run `npm run docs`')
})

t.test('every option is explained', async t => {
  for (const line of (await configurationPage()).split('\n')) {
    // Members of an option are explained with it.
    if (/^\| `\w+` /.test(line)) t.notMatch(line, /\| {2}\|$/, line)
  }
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })]

t.test('links between pages lead to files that the package ships', t => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly files: readonly string[] }
  for (const page of pages) {
    for (const [, target = ''] of readFileSync(join(root, page), 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)#]+)[^)]*\)/g)) {
      const path = normalize(join(dirname(page), target))
      t.ok(existsSync(join(root, path)), `${page}: ${target}`)
      t.ok(files.includes(path.split('/', 1)[0]!), `${page}: ${target} is in the package`)
    }
  }
  t.end()
})

t.test('the README lists every page', t => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  for (const page of globSync('docs/*.md', { cwd: root })) t.match(readme, `(${page})`)
  t.match(readme, '(docs/protocol/README.md)')
  t.end()
})

t.test('the examples in docs/plugins.md are the tested files', t => {
  const page = readFileSync(join(root, 'docs/plugins.md'), 'utf8')
  const shown = new Map([...page.matchAll(/```ts\n\/\/ (examples\/\S+)\n([^]*?)```/g)].map(([, file = '', text = '']) => [file, text]))
  t.same([...shown.keys()].sort(), globSync('examples/{small-plugins,custom-sort}/*.ts', { cwd: root }).sort())
  for (const [file, text] of shown) t.equal(text, readFileSync(join(root, file), 'utf8'), file)
  t.end()
})
