import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { env, optionalEnv } from '../../config/index.ts'
import { loadConfig } from '../../config/load.ts'

const folder = mkdtempSync(join(tmpdir(), 'turnpike-secret-files-'))
t.teardown(() => rmSync(folder, { recursive: true }))

function unset(): void {
  for (const name of ['TURNPIKE_TEST_SECRET', 'TURNPIKE_TEST_SECRET_FILE']) delete process.env[name]
}

function named(text: string): string {
  const path = join(folder, 'secret')
  writeFileSync(path, text)
  return (process.env['TURNPIKE_TEST_SECRET_FILE'] = path)
}

t.test('a variable may be the text of a file', async t => {
  t.teardown(unset)
  for (const [text, value] of [
    ['demo', 'demo'],
    ['demo\n', 'demo'],
    ['demo\r\n', 'demo'],
    [' demo \n', ' demo '],
    ['{\n  "demo": true\n}\n', '{\n  "demo": true\n}'],
  ] as const) {
    named(text)
    t.equal(env('TURNPIKE_TEST_SECRET'), value)
    t.equal(optionalEnv('TURNPIKE_TEST_SECRET'), value)
  }
  process.env['TURNPIKE_TEST_SECRET'] = ' '
  t.equal(env('TURNPIKE_TEST_SECRET'), '{\n  "demo": true\n}', 'a blank variable counts as not set')
  process.env['TURNPIKE_TEST_SECRET_FILE'] = ' '
  t.equal(optionalEnv('TURNPIKE_TEST_SECRET'), undefined)
})

t.test('a file without a secret is refused, with its name and never with a value', async t => {
  t.teardown(unset)
  const path = named('\n')
  t.throws(() => env('TURNPIKE_TEST_SECRET'), {
    message: `TURNPIKE_TEST_SECRET_FILE names ${path}, which is empty. Write the value of TURNPIKE_TEST_SECRET into it.`,
  })
  process.env['TURNPIKE_TEST_SECRET_FILE'] = join(folder, 'absent')
  t.throws(() => optionalEnv('TURNPIKE_TEST_SECRET'), /TURNPIKE_TEST_SECRET_FILE names .*absent, which cannot be read \(ENOENT\)/)
  process.env['TURNPIKE_TEST_SECRET_FILE'] = folder
  t.throws(() => optionalEnv('TURNPIKE_TEST_SECRET'), /cannot be read \(EISDIR\)/)
  named('demo-of-the-file')
  process.env['TURNPIKE_TEST_SECRET'] = 'demo-of-the-variable'
  t.throws(() => env('TURNPIKE_TEST_SECRET'), {
    message: 'TURNPIKE_TEST_SECRET and TURNPIKE_TEST_SECRET_FILE are both set. Remove one of them.',
  })
})

t.test('a config says where it asked for the file', async t => {
  t.teardown(unset)
  const path = join(folder, 'gateway.config.ts')
  writeFileSync(path, `import { env } from 'turnpike/config'\nexport default { plugins: [env('TURNPIKE_TEST_SECRET')] }`)
  process.env['TURNPIKE_TEST_SECRET_FILE'] = join(folder, 'absent')
  await t.rejects(loadConfig(path), {
    name: 'ConfigError',
    message: /TURNPIKE_TEST_SECRET_FILE names .*absent.* \(.*gateway\.config\.ts:2:/,
  })
})
