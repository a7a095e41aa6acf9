import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { builtIn } from '../../config/built-in.ts'
import { explainConfig } from '../../config/explain/values.ts'
import { loadConfig } from '../../config/load.ts'
import { packagePlugins } from '../../config/package-plugins.ts'
import { check } from '../../core/framework/checked-plugins.ts'

const folder = mkdtempSync(join(tmpdir(), 'turnpike-data-'))
t.teardown(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const yaml = `# A gateway for acme
server:
  port: \${TURNPIKE_TEST_PORT:-9000}
  timeouts: { connectMs: 500 }
plugins:
  - prometheus
  - - anthropic
    - id: acme
      apiKey: \${TURNPIKE_TEST_KEY}
      baseUrl: https://\${TURNPIKE_TEST_HOST:-api.example.com}/v1
      version: \${TURNPIKE_TEST_ABSENT:-}
`

t.test('a config can be YAML, JSON or a part of package.json', async t => {
  process.env['TURNPIKE_TEST_KEY'] = 'sk-demo-123'
  t.teardown(() => void delete process.env['TURNPIKE_TEST_KEY'])
  const value = {
    server: { port: '${TURNPIKE_TEST_PORT:-9000}', timeouts: { connectMs: 500 } },
    plugins: ['prometheus', ['anthropic', { id: 'acme', apiKey: '${TURNPIKE_TEST_KEY}', baseUrl: 'https://api.example.com/v1' }]],
  }
  for (const path of [
    write('gateway.config.yaml', yaml),
    write('gateway.config.yml', yaml),
    write('gateway.config.json', JSON.stringify(value)),
    write('package.json', JSON.stringify({ name: 'acme', type: 'module', gateway: value })),
  ]) {
    const { server, plugins, problems } = await loadConfig(path)
    t.same(problems, [])
    t.equal(server.port, 9000, 'a text became a number, as the schema wants it')
    t.same(
      plugins.map(use => use.plugin.name),
      ['prometheus', 'anthropic'],
    )
    t.same(plugins[1]!.options, { id: 'acme', apiKey: 'sk-demo-123', baseUrl: 'https://api.example.com/v1' })
  }
  const misspelled = await loadConfig(write('misspelled.yaml', 'plugins:\n  - health\n  - [anthropic, { apiKeyy: sk-demo }]\n'))
  t.throws(() => check(misspelled.plugins), {
    message: /^plugin anthropic has bad options \(.*misspelled\.yaml:3\): unknown option apiKeyy/,
  })
  await t.rejects(loadConfig(write('unknown.json', '{ "plugins": [\n  "anthropicc"\n] }')), {
    message: /^[^:]*unknown\.json:2: There is no plugin "anthropicc"\. Did you mean anthropic\?$/,
  })
  await t.rejects(loadConfig(write('package.json', '{ "name": "acme" }')), { message: /has no member "gateway"/ })
  await t.rejects(loadConfig(write('broken.json', '{ "plugins": [}')), { message: /broken\.json: It is not valid JSON/ })
  await t.rejects(loadConfig(write('broken.yaml', 'plugins: [')), { message: /broken\.yaml: It cannot be read: .* at line 1/ })
})

t.test('every value is explained', async t => {
  process.env['TURNPIKE_TEST_KEY'] = 'sk-demo-123'
  t.teardown(() => void delete process.env['TURNPIKE_TEST_KEY'])
  write('base.yaml', yaml)
  const config = await loadConfig(
    write(
      'over.mjs',
      `import prometheus from 'turnpike/plugins/telemetry/prometheus'
export default {
  extends: './base.yaml',
  server: { timeouts: { firstEventMs: 7 } },
  plugins: [prometheus({ open: true })],
}`,
    ),
    { host: '::1' },
  )
  t.same(
    config.plugins.map(use => use.plugin.name),
    ['prometheus', 'anthropic'],
    'a plugin takes the place of its namesake',
  )
  const values = explainConfig(config, check(config.plugins))
  const find = (name: string): unknown => values.find(each => each.name === name)
  t.match(find('server.host'), { value: '::1', source: 'flag' })
  t.match(find('server.port'), { value: 9000, source: 'extends', file: /base\.yaml$/, line: 3 })
  t.match(find('server.timeouts.connectMs'), { value: 500, source: 'extends', line: 4 })
  t.match(find('server.timeouts.firstEventMs'), { value: 7, source: 'config', file: /over\.mjs$/, line: 4 })
  t.match(find('server.timeouts.totalMs'), { source: 'default' })
  t.match(find('prometheus.open'), { value: true, source: 'config' })
  t.match(find('anthropic(acme).apiKey'), { value: '***', source: 'environment', variables: ['TURNPIKE_TEST_KEY'], line: 9 })
  t.notMatch(JSON.stringify(values), /sk-demo/)
})

t.test('only the .env file beside the config that is started is read', async t => {
  mkdirSync(join(folder, 'below'), { recursive: true })
  write('below/.env', 'TURNPIKE_TEST_ENV=below')
  write('below/base.json', '{ "server": { "port": "${TURNPIKE_TEST_ENV:-1}" }, "plugins": [] }')
  write('.env', 'TURNPIKE_TEST_ENV=9001')
  t.equal((await loadConfig(write('above.json', '{ "extends": "./below/base.json" }'))).server.port, 9001)
  rmSync(join(folder, '.env'))
  await loadConfig(join(folder, 'above.json'))
})

t.test('presets are replaced by their plugins', async t => {
  const preset = `import { definePreset } from 'turnpike'
    import prometheus from 'turnpike/plugins/telemetry/prometheus'
    import health from 'turnpike/plugins/endpoints/health'
    const options = { type: 'object', additionalProperties: false, properties: { open: { type: 'boolean', default: true } } }
    const inner = definePreset({ name: 'inner', options, plugins: () => [health] })
    const acme = definePreset({ name: 'acme', options, plugins: ({ open }) => [inner, prometheus({ open })] })
    const loop = definePreset({ name: 'loop', options, plugins: () => [back] })
    const back = definePreset({ name: 'back', options, plugins: () => [loop] })\n`
  const config = await loadConfig(write('preset.mjs', `${preset}export default { plugins: [acme] }`))
  t.match(config.plugins, [
    { plugin: { name: 'health' }, from: 'inner' },
    { plugin: { name: 'prometheus' }, options: { open: true }, from: 'acme' },
  ])
  t.match(
    explainConfig(config, check(config.plugins)).find(({ name }) => name === 'prometheus.open'),
    { source: 'preset', preset: 'acme' },
  )
  await t.rejects(loadConfig(write('loop.mjs', `${preset}export default { plugins: [loop] }`)), {
    message: /plugin loop is a preset that lists itself: loop → back → loop/,
  })
  await t.rejects(loadConfig(write('double.mjs', `${preset}export default { plugins: [acme, inner] }`)), {
    message: /plugin inner is a preset that is listed twice: by the preset acme and by the config\. Remove one/,
  })
})

t.test('every plugin of the package has a name for JSON and YAML', async t => {
  const folders = globSync('plugins/*/*/index.ts', { cwd: new URL('../..', import.meta.url).pathname })
  t.same(Object.values(builtIn).sort(), folders.map(file => file.slice('plugins/'.length, -'/index.ts'.length)).sort())
  const known = new Set((await packagePlugins()).map(({ name }) => name))
  t.same(
    Object.keys(builtIn).filter(name => !known.has(name)),
    [],
  )
})
