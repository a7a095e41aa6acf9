import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const hook = fileURLToPath(new URL('../../scripts/pre-commit.js', import.meta.url))
const prepare = fileURLToPath(new URL('../../scripts/prepare.js', import.meta.url))

// A formatter that removes semicolons, and a linter that forbids `var`: the real ones come from the registry.
const format = `
  import { globSync, readFileSync, writeFileSync } from 'node:fs'
  for (const file of globSync('**/*.ts')) writeFileSync(file, readFileSync(file, 'utf8').replaceAll(';', ''))`
const lint = `
  import { globSync, readFileSync } from 'node:fs'
  const bad = globSync('**/*.ts').filter(file => readFileSync(file, 'utf8').includes('var '))
  for (const file of bad) console.log(file + ' has a var')
  process.exit(globSync('**/*.ts').length === 0 ? 2 : bad.length)`

function clone(t: Test): { readonly folder: string; git(...command: readonly string[]): string } {
  const folder = t.testdir({ 'a.ts': 'const a = 1\n', deep: { 'b.ts': 'const b = 1\n' }, 'format.mjs': format, 'lint.mjs': lint })
  const program = (name: string): string => `"${process.execPath}" "${join(folder, name)}"`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { format: program('format.mjs'), lint: program('lint.mjs') } }))
  const git = (...command: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...command], { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--no-verify', '--message', 'first')
  return { folder, git }
}

const absent = spawnSync('git', ['--version']).status === 0 ? false : 'needs git'

const run = (folder: string) => spawnSync(process.execPath, [hook], { cwd: folder, encoding: 'utf8' })

t.test('staged files are formatted, in the commit and in the folder', { skip: absent }, async t => {
  const { folder, git } = clone(t)
  writeFileSync(join(folder, 'deep/b.ts'), 'const b = 2;\n')
  git('add', '.')
  const { status, stdout } = run(folder)
  t.match([status, stdout], [0, 'formatted deep/b.ts\n'])
  t.equal(git('show', ':deep/b.ts'), 'const b = 2\n')
  t.equal(readFileSync(join(folder, 'deep/b.ts'), 'utf8'), 'const b = 2\n')
  t.equal(git('diff'), '')
})

t.test('unstaged changes stay out of the commit, unchanged', { skip: absent }, async t => {
  const { folder, git } = clone(t)
  writeFileSync(join(folder, 'a.ts'), 'const a = 2;\n')
  git('add', '.')
  writeFileSync(join(folder, 'a.ts'), 'const a = 2;\nconst later = 3;\n')
  t.equal(run(folder).status, 0)
  t.equal(git('show', ':a.ts'), 'const a = 2\n')
  t.equal(readFileSync(join(folder, 'a.ts'), 'utf8'), 'const a = 2;\nconst later = 3;\n')
})

t.test('a finding of the linter stops the commit, and is shown', { skip: absent }, async t => {
  const { folder, git } = clone(t)
  writeFileSync(join(folder, 'a.ts'), 'var a = 2\n')
  git('add', '.')
  const { status, stderr } = run(folder)
  t.equal(status, 1)
  t.match(stderr, /lint\.mjs" found this:\na\.ts has a var/)
})

t.test('a commit without code, or that deletes some, needs neither', { skip: absent }, async t => {
  const { folder, git } = clone(t)
  writeFileSync(join(folder, 'lint.mjs'), 'process.exit(1)')
  git('rm', '--quiet', 'a.ts')
  t.equal(run(folder).status, 0)
  git('commit', '--quiet', '--no-verify', '--message', 'second')
  writeFileSync(join(folder, 'names.json'), '[]\n')
  git('add', 'names.json')
  t.equal(run(folder).status, 0, 'the linter finds nothing to look at')
})

t.test('a link stays a link, and a file may be gone from the folder again', { skip: absent }, async t => {
  const { folder, git } = clone(t)
  symlinkSync('a.ts', join(folder, 'link.ts'))
  writeFileSync(join(folder, 'a.ts'), 'const a = 2;\n')
  git('add', '.')
  rmSync(join(folder, 'a.ts'))
  t.match(run(folder), { status: 0, stdout: 'formatted a.ts\n', stderr: '' })
  t.equal(git('show', ':a.ts'), 'const a = 2\n')
  t.match(git('ls-files', '--stage', 'link.ts'), /^120000 /)
  t.equal(git('show', ':link.ts'), 'a.ts')
  t.notOk(existsSync(join(folder, 'a.ts')))
})

t.test('an install in a clone sets the hooks, unless there are others or it is CI', { skip: absent }, async t => {
  const { folder, git } = clone(t)
  const hooks = (): string => spawnSync('git', ['config', 'core.hooksPath'], { cwd: folder, encoding: 'utf8' }).stdout
  const install = (CI = ''): void => void spawnSync(process.execPath, [prepare], { cwd: folder, env: { ...process.env, CI } })
  install('true')
  t.equal(hooks(), '')
  install()
  t.equal(hooks(), '.githooks\n')
  git('config', 'core.hooksPath', 'mine')
  install()
  t.equal(hooks(), 'mine\n')
  t.equal(spawnSync(process.execPath, [prepare], { cwd: '/', env: {} }).status, 0, 'outside a clone')
})
