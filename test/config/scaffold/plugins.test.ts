import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { pluginKinds } from '../../../config/scaffold/plugin-kinds.ts'
import { namesFrom } from '../../../config/scaffold/plugin-names.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { MadePlugins, root } from './made-plugins.ts'

const run = promisify(execFile)

t.test('the plugins of all kinds have right types, and pass their tests', async t => {
  using made = new MadePlugins()
  made.link()
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const check = run(process.execPath, [compiler, '--project', join(made.path, 'tsconfig.json')])
  t.equal(
    await check.then(
      () => '',
      ({ stdout }: { readonly stdout: string }) => stdout,
    ),
    '',
  )
  const tests = pluginKinds.map(({ name }) => join(made.path, name, 'test', 'plugin.test.ts'))
  // One process for all: each start would cost as much as the tests.
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_|TAP)/.test(name)))
  const { stdout } = await run(
    process.execPath,
    ['--conditions=turnpike-source', '--test', '--test-isolation=none', '--test-reporter=tap', ...tests],
    { cwd: made.path, env: environment },
  ).catch((error: { readonly stdout: string }) => error)
  t.match(stdout, /^# fail 0$/m, stdout.slice(-5_000))
  t.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) >= pluginKinds.length)
})

t.test('a package has what it needs to be published, and no name of the example', t => {
  using made = new MadePlugins()
  for (const { name } of pluginKinds) {
    const text = (file: string): string => readFileSync(join(made.path, name, file), 'utf8')
    const manifest = JSON.parse(text('package.json'))
    t.match(manifest.keywords, ['turnpike-plugin', /^turnpike-[a-z-]+$/])
    t.match(readFileSync(join(root, 'docs/versions.md'), 'utf8'), `| \`${manifest.keywords[1]}\` |`, name)
    t.match(manifest, { license: 'Apache-2.0', dependencies: { 'turnpike-sdk': /^\^\d/ }, devDependencies: { turnpike: /^\^\d/ } })
    t.match(text('LICENSE'), /Apache License/)
    for (const file of ['README.md', 'gateway.config.ts', 'package.json']) t.notMatch(text(file), /acme/i, `${name}: ${file}`)
    t.match(text('README.md'), `import ${/import (\w+) from '\.\/src/.exec(text('gateway.config.ts'))![1]} from '${manifest.name}'`)
    t.notMatch(text('src/index.ts'), /name: 'acme/, name)
    if (name !== 'search-engine') t.match(text('src/index.ts'), `name: '${manifest.name}'`)
    for (const file of ['.gitignore', '.github/workflows/ci.yml', 'tsconfig.build.json']) t.ok(existsSync(join(made.path, name, file)))
  }
  t.end()
})

t.test('docs/plugins.md names the kinds', t => {
  const page = readFileSync(join(root, 'docs/plugins.md'), 'utf8')
  const [, table = ''] = /\n\| to write \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)/.exec(page) ?? []
  const named = Array.from(table.matchAll(/\| `([a-z-]+)` \|$/gm), ([, kind]) => kind)
  t.same(named.toSorted(), pluginKinds.map(({ name }) => name).toSorted())
  t.end()
})

t.test('names of packages, and what cannot be one', t => {
  const names = (given: string) => namesFrom(given)
  t.match(names('word-guard'), { package: 'turnpike-plugin-word-guard', short: 'word-guard', identifier: 'wordGuard' })
  t.match(names('turnpike-plugin-word-guard'), { package: 'turnpike-plugin-word-guard', short: 'word-guard' })
  t.match(names('@acme/turnpike-word-guard'), { package: '@acme/turnpike-word-guard', short: 'word-guard' })
  t.match(names('@acme/turnpike-plugin-chat'), { package: '@acme/turnpike-plugin-chat', short: 'chat', identifier: 'chatPlugin' })
  t.match(names('import'), { identifier: 'importPlugin' }, 'a word of the language')
  for (const given of ['', 'Word', 'word_guard', '-word', 'word-', '../word', '@acme', '@acme/', 'a b', 'x'.repeat(201)])
    t.equal(names(given), undefined, given)
  t.end()
})

t.test('the command makes a package, names the nearest kind, and writes into no folder that has something', async t => {
  const workplace = new Workplace()
  t.teardown(() => workplace.remove())
  const made = await workplace.run('plugin', 'new', 'tracer', '@acme/turnpike-spans', '--no-ci', '--license', 'UNLICENSED')
  t.equal(made.exitCode, 0, made.stderr)
  t.match(made.stdout, /Next:\n\n {2}cd turnpike-spans\n {2}npm install\n {2}npm test\n {2}npm run dev\n/)
  const inside = (file: string): string => join(workplace.path, 'turnpike-spans', file)
  t.match(JSON.parse(readFileSync(inside('package.json'), 'utf8')), { name: '@acme/turnpike-spans', license: 'UNLICENSED' })
  for (const file of ['LICENSE', '.github']) t.notOk(existsSync(inside(file)), file)
  const again = await workplace.run('plugin', 'new', 'route', '@acme/turnpike-spans')
  t.equal(again.exitCode, 1)
  t.match(again.stderr, /The folder turnpike-spans exists already\. Choose another name, or another folder with --folder\./)
  const unknown = await workplace.run('plugin', 'new', 'guardrails')
  t.equal(unknown.exitCode, 1)
  t.match(unknown.stderr, /There is no kind 'guardrails'\. Did you mean guardrail\?[^]*\n {2}sort +orders/)
})
