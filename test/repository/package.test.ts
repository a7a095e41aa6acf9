import { globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { packedManifest, type Manifest } from '../../scripts/release/manifest.ts'
import { linkedFile, linksOf } from '../../scripts/release/links.ts'
import { pack } from '../../scripts/release/npm.ts'
import { packedPage, packedSource } from '../../scripts/release/pages.ts'
import { ranges, statements, statedIn } from '../../scripts/release/versions.ts'
import { placesOf } from './places.ts'

// The package as npm would make it of this repository, without what the build adds.

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(textOf('package.json')) as Manifest
const paths = pack(root, '--dry-run').files.map(({ path }) => path)
const shipped = new Set(paths.flatMap(path => [path, ...foldersOf(path)]))
const isShipped = (path: string): boolean => shipped.has(path.replace(/\/$/, ''))
const pages = paths.filter(path => path.endsWith('.md'))

function foldersOf(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === '.' ? [] : [folder, ...foldersOf(folder)]
}

const known = new Map<string, string>()

function packed(path: string, home: string): string {
  const key = `${home} ${path}`
  const page = known.get(key) ?? packedPage(path, textOf(path), { home, version: manifest.version, isShipped })
  known.set(key, page)
  return page
}

t.test('the package has what users look for, and nothing of the repository alone', async t => {
  for (const path of ['README.md', 'CHANGELOG.md', 'LICENSE', 'llms.txt', 'bin/turnpike.js', 'docs/README.md', 'docs/versions.md'])
    t.ok(isShipped(path), path)
  for (const path of ['core', 'config', 'test', 'bench', 'scripts', 'site', 'docs/architecture.md', 'CONTRIBUTING.md', 'gateway.config.ts'])
    t.notOk(isShipped(path), path)
})

t.test('package.json lists no file that is gone', async t => {
  const built = ['dist', 'sbom.cdx.json']
  const listed = (manifest['files'] as readonly string[]).filter(file => !built.includes(file))
  t.same(
    listed.filter(file => globSync(file.replace(/^!/, ''), { cwd: root }).length === 0),
    [],
  )
})

t.test('of every kind of plugin, one is in the package as it was written', async t => {
  const kinds = globSync('plugins/*/', { cwd: root }).map(path => path.split(sep)[1]!)
  t.ok(kinds.length > 10)
  for (const kind of kinds)
    t.ok(
      [...shipped].some(path => new RegExp(`^plugins/${kind}/[\\w-]+/index\\.ts$`).test(path)),
      kind,
    )
  t.ok(paths.filter(path => path.startsWith('examples/')).length >= 20, 'and the examples')
})

t.test('a source in the package imports what the packages of others can import', async t => {
  const strays = paths
    .filter(path => /^plugins\/.*\.ts$/.test(path))
    .flatMap(path => {
      const imports = packedSource(textOf(path)).matchAll(/(?:from|import\()\s*(["'])(\.[^"']*)\1/g)
      return (
        Array.from(imports, ([, , target]) => linkedFile(path, target!)!)
          // The app of the dashboard ships as one bundle.
          .filter(target => !isShipped(target) && !target.startsWith('plugins/endpoints/dashboard/app/'))
          .map(target => `${path} → ${target}`)
      )
    })
  t.same(strays, [])
})

const folders = 'bench|bin|config|core|deploy|docs|examples|plugins|scripts|site|test'
const named = new RegExp(`(?<![\\w./@-])(?:${folders})/[\\w./-]*\\w(?![\\w./<*-])`, 'g')

/** The files and folders that the code of a page names. Patterns such as `plugins/<kind>` do not count. */
function namedIn(page: string): readonly string[] {
  const code = page.matchAll(/^(`{3,}).*\n[^]*?^\1$|`[^`\n]+`/gm)
  return Array.from(code, ([text]) => text.match(named) ?? []).flat()
}

t.test('no page of the package names a file that is not in it', async t => {
  t.same(namedIn('`core/a.ts`, core/b.ts\n\n```sh\nnode bench/c.ts # plugins/d\n```\n\n`plugins/<kind>`, `turnpike/plugins/e`'), [
    'core/a.ts',
    'bench/c.ts',
    'plugins/d',
  ])
  const missing = pages.flatMap(page => namedIn(packed(page, '')).map(path => ({ page, path }))).filter(({ path }) => !isShipped(path))
  t.same(missing, [])
})

t.test('every link of the package leads to a file in it, to a place there, or to another site', async t => {
  for (const home of ['', 'https://github.com/acme/turnpike']) {
    const places = new Map(pages.map(page => [page, placesOf(packed(page, home))]))
    const dead = pages.flatMap(page =>
      linksOf(packed(page, home)).flatMap(({ target }) => {
        const file = linkedFile(page, target)
        if (file === undefined && !target.startsWith('#')) return []
        if (file !== undefined && !isShipped(file)) return `${page}: ${target}`
        const [, place] = target.split('#')
        const path = file ?? page
        if (place === undefined || !path.endsWith('.md')) return []
        return places.get(path)?.has(place) ? [] : `${page}: ${target} is no heading`
      }),
    )
    t.same(dead, [], home === '' ? 'without an address of the repository' : home)
  }
})

t.test('on npm, the README leads to the repository', async t => {
  const readme = packed('README.md', 'https://github.com/acme/turnpike')
  t.match(readme, /^# Turnpike\n/)
  t.match(/```bash\n([^]*?)```/.exec(readme)![1], /^npm install turnpike\n/, 'the first thing to do')
  const targets = linksOf(readme).map(({ target }) => target)
  t.ok(targets.length > 40)
  t.same(
    targets.filter(target => !/^(https:|#)/.test(target)),
    [],
  )
  const { version } = manifest
  t.ok(targets.includes(`https://github.com/acme/turnpike/blob/v${version}/docs/storage.md#rotate-the-master-key`))
  t.ok(targets.includes(`https://github.com/acme/turnpike/raw/v${version}/docs/images/dashboard-overview.png`))
  t.ok(targets.includes(`https://github.com/acme/turnpike/blob/v${version}/docs/architecture.md`), 'also what the package does not have')
})

t.test('the manifest has what npm shows, and nothing that only the repository has', async t => {
  t.ok((manifest['keywords'] as readonly string[]).length >= 10)
  t.match(manifest, { description: String, license: 'Apache-2.0', engines: { node: '>=24' } })
  const published = packedManifest(manifest, 'https://github.com/acme/turnpike')
  t.match(published, {
    homepage: 'https://github.com/acme/turnpike#readme',
    bugs: { url: 'https://github.com/acme/turnpike/issues' },
    repository: { type: 'git', url: 'git+https://github.com/acme/turnpike.git' },
  })
  t.notMatch(JSON.stringify(published), /turnpike-source|devDependencies|"scripts"|"tap"/)
  t.same(Object.keys(packedManifest(manifest, '')).includes('repository'), false)
  t.same(published.exports['.'], { types: './dist/core/index.d.ts', default: './dist/core/index.js' })
})

t.test('every file that states the version states the same', async t => {
  for (const statement of statements) t.same([...new Set(statedIn(textOf(statement.file), statement))], [manifest.version], statement.file)
  for (const file of globSync(ranges.file, { cwd: root }))
    t.same([...new Set(statedIn(textOf(file), { ...ranges, file }))], [manifest.version], file)
})
