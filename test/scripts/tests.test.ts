import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { outcomeOf, type Outcome } from '../../scripts/tests/outcome.ts'
import { filesOf, shardOf, sharesOf, testFiles } from '../../scripts/tests/plan.ts'
import { report } from '../../scripts/tests/report.ts'
import { alone, shards } from '../../scripts/tests/shards.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const all = testFiles(root)

t.test('every test file is run once, and each shard has some', async t => {
  const run = sharesOf(all).flatMap(({ files }) => files)
  t.same(run.toSorted(), all)
  for (const { name } of shards)
    t.ok(
      all.some(file => shardOf(file).name === name),
      name,
    )
  t.same(
    Object.keys(alone).filter(file => !all.includes(file)),
    [],
    'files that are alone exist',
  )
  for (const { files, shard } of sharesOf(all)) for (const file of files) t.equal(shardOf(file), shard, file)
})

t.test('shards, folders and files can be named', async t => {
  const stores = filesOf(['stores'], all)
  t.ok(stores.length > 10 && stores.every(file => file.startsWith('test/plugins/stores/')))
  t.same(filesOf(['./test/plugins/stores/'], all), stores)
  t.same(filesOf(['test/config/keys.test.ts', 'test/config/keys.test.ts'], all), ['test/config/keys.test.ts'])
  t.same(filesOf([], all), all)
  t.throws(() => filesOf(['strores'], all), /Expected a shard \(stores, .*\), a folder with tests or a test file, but got 'strores'\./)
  t.throws(() => shardOf('elsewhere/x.test.ts'), /elsewhere\/x\.test\.ts is in no shard/)
})

t.test('changes that a file makes to its process are seen', async t => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, Partial<Outcome>, RegExp | undefined])[] = [
    ['all is well', { a: passing('one'), b: passing('two') }, { passed: 2, failed: 0, skipped: 0 }, undefined],
    ['an assertion fails', { a: failing, b: passing('two') }, { passed: 1, failed: 1 }, /a\.test\.mjs\n {4}not ok 1 - a wrong sum/],
    [
      'a file cannot be loaded',
      { a: `import './absent.mjs'`, b: passing('two') },
      { passed: 1, failed: 1 },
      /a\.test\.mjs cannot be loaded/,
    ],
    ['a file throws', { a: `throw new Error('so it is')` }, { failed: 1 }, /so it is/],
    ['a file ends the process', { a: passing('one'), b: `process.exit(0)`, c: passing('three') }, { failed: 1 }, /ended early/],
    ['nothing goes on', { a: `import t from 'tap'\nt.test('waits', () => new Promise(() => {}))` }, {}, /a\.test\.mjs/],
    ['a test is skipped', { a: skipped }, { passed: 0, failed: 0, skipped: 1, reasons: ['needs a moon'] }, undefined],
    [
      'an error comes late',
      { a: `${passing('one')}\nsetTimeout(() => { throw new Error('too late') })\nawait new Promise(r => setTimeout(r, 50))` },
      {},
      /too late/,
    ],
  ]
  for (const [name, files, expected, told] of cases) {
    const outcome = run(t, files)
    t.match(outcome, expected, name)
    if (told) t.match(outcome.failures.join('\n'), told, name)
    t.equal(outcome.failed > 0, told !== undefined, name)
    t.equal(outcome.failures.length > 0, told !== undefined, name)
  }
})

t.test('the output of a process does not hide how it ended', async t => {
  const good = '# begin a\nok 1 - one\n# took 5 ms\n1..1\n# { total: 1, pass: 1 }\n'
  const ending = { exitCode: 0, complaints: '' }
  t.match(outcomeOf(good, ['a'], ending), { passed: 1, failed: 0, times: [{ file: 'a', ms: 5 }] })
  t.match(outcomeOf(`${good}# pass 3\n`, ['a'], ending), { passed: 4, failed: 0 }, 'with those of node:test')
  t.match(outcomeOf(good, ['a'], { ...ending, exitCode: 7 }), { failed: 1, failures: [/a: the process ended with exit code 7/] })
  t.match(outcomeOf(good, ['a', 'b'], ending), { failed: 1, failures: [/ended early/] })
  t.match(outcomeOf('', ['a'], { exitCode: null, complaints: 'out of memory', why: 'took more than 9 s' }), {
    failed: 1,
    failures: [/a: the process took more than 9 s\n[^]*out of memory/],
  })
})

t.test('the report counts, names the slowest, and says once why tests were skipped', async t => {
  const outcome = (file: string, ms: number): Outcome => ({
    passed: 3,
    failed: 0,
    skipped: 2,
    failures: [],
    reasons: ['needs a moon', 'needs a moon'],
    times: [{ file, ms }],
  })
  const { text } = report([
    outcome('test/core/a.test.ts', 20),
    outcome('test/config/b.test.ts', 1_900),
    outcome('test/core/c.test.ts', 1_000),
  ])
  t.match(text, / {4}1\.9 s {2}test\/config\/b\.test\.ts\n {4}1\.0 s {2}test\/core\/c\.test\.ts\n {4}0\.0 s /)
  t.match(text, /\nSeconds by shard: core 1, package 2\n/)
  t.match(text, /\n {6}6 {4}needs a moon\n/)
  t.match(text, /\n9 passed, 0 failed, 6 skipped$/)
})

const failing = `import t from 'tap'\nt.test('sums', async t => t.equal(1 + 1, 3, 'a wrong sum'))`
const skipped = `import t from 'tap'\nt.test('far away', { skip: 'needs a moon' }, async t => t.fail())`

function passing(name: string): string {
  return `import t from 'tap'\nt.test('${name}', async t => t.ok(true))`
}

/** Runs files with these texts in one process. */
function run(t: Test, texts: Readonly<Record<string, string>>): Outcome {
  const folder = t.testdir(Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${name}.test.mjs`, text])))
  const files = Object.keys(texts).map(name => join(folder, `${name}.test.mjs`))
  // With the flags of this process.
  const { stdout, stderr, status } = spawnSync(process.execPath, [...process.execArgv, join(root, 'scripts/tests/run-files.ts'), '1'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, TURNPIKE_TEST_FILES: JSON.stringify(files), TAP_CHILD_ID: undefined, TAP: undefined },
  })
  return outcomeOf(stdout, files, { exitCode: status, complaints: stderr })
}

t.test('a file run by itself, by npx tap run, may require TypeScript', async t => {
  const { tap } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly tap: { readonly 'node-arg': readonly string[] }
  }
  const imports = tap['node-arg'].filter(word => word.startsWith('--import') || word.startsWith('--conditions'))
  // As tap runs a file: https://github.com/tapjs/tapjs/tree/main/src/processinfo
  const hook = new URL('../../node_modules/@tapjs/processinfo/dist/esm/import.mjs', import.meta.url).href
  const code = "process.getBuiltinModule('module').createRequire(process.cwd() + '/')('./core/server/h3.ts').Router.name"
  const { stdout, stderr } = spawnSync(process.execPath, [`--import=${hook}`, ...imports, '-p', code], { cwd: root, encoding: 'utf8' })
  t.equal(stdout, 'Router\n', stderr)
})
