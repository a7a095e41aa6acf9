import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { gatewayFolder } from '../../../config/scaffold/gateway-folder.ts'
import { writeNew } from '../../../config/scaffold/new-files.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { root } from './made-plugins.ts'

function workplaceOf(t: Test): Workplace {
  const workplace = new Workplace()
  t.teardown(() => workplace.remove())
  return workplace
}

t.test('an empty folder becomes a gateway, without a question', async t => {
  const workplace = workplaceOf(t)
  const { exitCode, stdout, stderr } = await workplace.run('init', 'site')
  t.equal(exitCode, 0, stderr)
  t.match(stdout, /^Wrote site\/gateway\.config\.ts, .*\n\nNext:\n\n {2}cd site\n {2}npm install\n {2}npx turnpike start\n/)
  t.notMatch(stdout, /\?/)
  const site = join(workplace.path, 'site')
  t.same(readdirSync(site).sort(), ['.env.example', '.gitignore', 'gateway.config.ts', 'package.json', 'tsconfig.json'])
  t.match(JSON.parse(readFileSync(join(site, 'package.json'), 'utf8')), {
    type: 'module',
    private: true,
    dependencies: { turnpike: /^\^/ },
  })
  const check = await workplace.run('check', '--config', 'site/gateway.config.ts')
  t.match(check.stdout, /is fine/, check.stderr)
})

t.test('what is there stays, and what is missing is said', async t => {
  const workplace = workplaceOf(t)
  const path = (file: string): string => join(workplace.path, file)
  const own = { 'package.json': '{"name":"shop"}', '.gitignore': '/node_modules\n', 'tsconfig.json': '{}' }
  for (const [file, text] of Object.entries(own)) writeFileSync(path(file), text)
  const { stdout } = await workplace.run('init', '--compose')
  for (const [file, text] of Object.entries(own)) t.equal(readFileSync(path(file), 'utf8'), text)
  t.match(
    stdout,
    /Wrote gateway\.config\.mts, \.env\.example, Dockerfile, \.dockerignore, compose\.yaml/,
    'a module in a package of CommonJS',
  )
  t.match(stdout, /Kept what was there: package\.json, \.gitignore, tsconfig\.json/)
  t.match(stdout, /Add to \.gitignore, which lacks them: data\/, \.env\n/)
  t.match(stdout, /Next:\n\n {2}npm install turnpike\n {2}npx turnpike start\n/)
  const files = gatewayFolder(workplace.path, { docker: true, compose: true })
  t.same(writeNew(workplace.path, files), { written: [], kept: [...files.keys()] }, 'a second time')
  t.notOk(existsSync(path('gateway.config.ts')))
})

t.test('a package.json that `npm install` made is completed', async t => {
  const workplace = workplaceOf(t)
  const path = join(workplace.path, 'package.json')
  writeFileSync(path, '{ "dependencies": { "turnpike": "^0.1.1", "openai": "7.55.0" } }')
  const { stdout } = await workplace.run('init')
  t.match(stdout, /^Completed package\.json, which listed only packages\n\nWrote gateway\.config\.ts, /)
  t.notMatch(stdout, /Kept/)
  t.match(JSON.parse(readFileSync(path, 'utf8')), {
    type: 'module',
    scripts: { start: 'turnpike start' },
    dependencies: { turnpike: '^0.1.1', openai: '7.55.0' },
    devDependencies: { typescript: String },
  })
})

t.test('.env.example names variables that the gateway reads', t => {
  const known = ['docs/providers.md', 'docs/storage.md', 'docs/valkey.md'].map(page => readFileSync(join(root, page), 'utf8')).join('\n')
  const variables = Array.from(
    readFileSync(join(root, 'examples/gateway/.env.example'), 'utf8').matchAll(/^# ([A-Z_]+)=/gm),
    ([, name]) => name!,
  )
  t.ok(variables.length > 5)
  for (const name of variables) t.match(known, new RegExp(`\\b${name}\\b`))
  t.end()
})

t.test('create-turnpike runs the command of its own version', t => {
  const manifest = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const { version } = manifest('package.json')
  t.match(manifest('create-turnpike/package.json'), { version, dependencies: { turnpike: version } })
  t.end()
})
