import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../config/load.ts'
import { openGateway } from '../../config/open-gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'turnpike-places-'))
t.teardown(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'no-plugin.mjs'), 'export default { name: "acme" }')
writeFileSync(join(folder, 'empty.mjs'), 'export {}')
writeFileSync(
  join(folder, 'named.mjs'),
  `import { definePlugin } from 'turnpike'
export const acme = definePlugin({ name: 'acme', options: { type: 'object', additionalProperties: false, properties: {} }, setup() {} })`,
)
writeFileSync(join(folder, 'called.mjs'), `import { acme } from './named.mjs'; export default acme({})`)
writeFileSync(join(folder, 'cycle.json'), '{ "extends": "./cycle.json" }')

const imports = `
  import { defaults } from 'turnpike/config'
  import admin from 'turnpike/plugins/endpoints/admin'
  import * as health from 'turnpike/plugins/endpoints/health'
  import anthropic from 'turnpike/plugins/providers/anthropic'
  import prometheus from 'turnpike/plugins/telemetry/prometheus'
  import bundled from 'turnpike/plugins/catalogs/bundled'
  import { acme } from './named.mjs'
`

const key = `apiKey: 'sk-demo'`
/** A mistake in a config, and the message for the operator. */
const modules: readonly (readonly [mistake: string, config: string, told: string])[] = [
  ['a server setting beside server', '{ port: 1, plugins: [] }', 'Set server.port instead'],
  ['a member of a server setting beside server', '{ connectMs: 1, plugins: [] }', 'Set server.timeouts.connectMs instead'],
  ['plugins in server', '{ server: { plugins: [] }, plugins: [] }', 'unknown option server.plugins; set plugins beside server instead'],
  [
    'a setting one level up',
    '{ server: { firstEventMs: 1 }, plugins: [] }',
    'server.firstEventMs; set server.timeouts.firstEventMs instead',
  ],
  [
    'a setting one level down',
    '{ server: { timeouts: { retries: 1 } }, plugins: [] }',
    'server.timeouts.retries; set server.retries instead',
  ],
  ['an option of a plugin in server', '{ server: { durationBuckets: [1] }, plugins: [] }', 'it is an option of the plugin prometheus'],
  [
    'the policy of keys in server',
    '{ server: { redaction: true }, plugins: [] }',
    'redaction is set for API keys, teams and organizations',
  ],
  [
    'a server setting in a plugin',
    `{ plugins: [anthropic({ ${key}, port: 1 })] }`,
    'unknown option port; set server.port in the config instead',
  ],
  [
    'an option of the section of a plugin',
    '{ plugins: [admin({ port: 1 })] }',
    'unknown option port; set server.admin.port in the config instead',
  ],
  [
    'an option one level up',
    `{ plugins: [anthropic({ ${key}, connectMs: 1 })] }`,
    'unknown option connectMs; set timeouts.connectMs instead',
  ],
  ['an option one level down', `{ plugins: [anthropic({ timeouts: { ${key} } })] }`, 'unknown option timeouts.apiKey; set apiKey instead'],
  ['an option of another plugin', `{ plugins: [anthropic({ ${key}, labels: [] })] }`, 'labels; it is an option of the plugin prometheus'],
  ['a setting of keys', `{ plugins: [anthropic({ ${key}, spendCapUsd: 1 })] }`, 'spendCapUsd is set for API keys'],
  [
    'a setting of keys as the admin API has it',
    `{ plugins: [anthropic({ ${key}, spend_cap_usd: 1 })] }`,
    'spend_cap_usd is set for API keys',
  ],
  ['options in an array', `{ plugins: [anthropic([{ ${key} }])] }`, 'was called with an array: pass its options as one object'],
  ['a key as options', `{ plugins: [anthropic('sk-demo')] }`, 'was called with a string: pass its options as one object'],
  ['a plugin as options', `{ plugins: [anthropic(prometheus({}))] }`, 'was called with the plugin prometheus: list that one in `plugins`'],
  ['a plugin as an option', `{ plugins: [anthropic({ ${key}, beta: [prometheus] })] }`, 'has the plugin prometheus as its option beta[0]'],
  ['a function as an option', `{ plugins: [anthropic({ apiKey: () => 1 })] }`, 'has a function as its option apiKey: options are data'],
  [
    'a plugin and its options as in JSON',
    `{ plugins: [[anthropic, { ${key} }]] }`,
    'in an array, as in JSON: call it instead: anthropic({ … })',
  ],
  ['options in the list', `{ plugins: [prometheus, { open: true }] }`, 'is not a plugin, but an object with open'],
  [
    'a plugin that needs options, without a call',
    '{ plugins: [bundled, acme, admin, needy] }',
    '(needy) needs options: call needy({ token: … })',
  ],
  ['a module', '{ plugins: [health] }', 'is a module: import its default export'],
  ['a plugin of another framework', `{ plugins: [{ name: 'acme', setup() {} }] }`, 'was not made with definePlugin'],
  ['a plugin as the config', 'prometheus({})', 'It is a plugin, not a config'],
  ['a list as the config', '[prometheus({})]', 'It is an array. Expected: export default defineConfig'],
  ['defaults without a call', '{ plugins: defaults }', 'Call it: plugins: [...defaults()]'],
  ['a setting for defaults', '{ plugins: [defaults({ port: 1 })] }', 'defaults() has no option port'],
]

const data: readonly (readonly [mistake: string, config: object, told: string])[] = [
  ['a misspelled plugin', { plugins: ['promtheus'] }, 'There is no plugin "promtheus". Did you mean prometheus?'],
  ['no such package', { plugins: ['@acme/absent'] }, 'There is no plugin or package "@acme/absent"'],
  ['a plugin as an object', { plugins: [{ prometheus: {} }] }, 'write "name" or ["name", { options }]'],
  ['options in an array', { plugins: [['prometheus', []]] }, 'The options of "prometheus" must be an object, got an array'],
  ['too many entries', { plugins: [['prometheus', {}, {}]] }, 'write "name" or ["name", { options }]'],
  ['a default that is not a plugin', { plugins: ['./no-plugin.mjs'] }, 'has a default export that is not a plugin, but an object'],
  ['no default', { plugins: ['./empty.mjs'] }, 'has no default export. A plugin module ends in'],
  ['a named export', { plugins: ['./named.mjs'] }, 'exports its plugin as acme, and not as its default'],
  ['a plugin that was called', { plugins: ['./called.mjs'] }, 'exports a plugin that was called already'],
  ['a wrong place', { plugins: [['prometheus', { port: 1 }]] }, 'set server.port in the config instead'],
  ['an unset variable', { plugins: [['anthropic', { apiKey: '${TURNPIKE_TEST_ABSENT}' }]] }, 'TURNPIKE_TEST_ABSENT is not set'],
  ['a cycle', { extends: './cycle.json' }, 'cycle.json → '],
  ['a base that is not there', { extends: '@acme/absent' }, 'It extends "@acme/absent": there is no such package here'],
]

let files = 0

async function told(text: string, extension: string): Promise<string> {
  const path = join(folder, `config-${++files}.${extension}`)
  writeFileSync(path, text)
  try {
    const gateway = await openGateway(await loadConfig(path), { logLevel: 'silent', createFiles: false, lookOnly: true })
    await gateway.stop()
    return 'nothing'
  } catch (error) {
    return (error as Error).message
  }
}

t.test('a name in the wrong place gets the right place named', async t => {
  const needy = `import { definePlugin } from 'turnpike'
    const needy = definePlugin({ name: 'needy', options: { type: 'object', additionalProperties: false, required: ['token'], properties: { token: { type: 'string' } } }, setup() {} })\n`
  for (const [mistake, config, expected] of modules) {
    const message = await told(`${imports}${needy}export default ${config}`, 'mjs')
    t.ok(message.includes(expected), `${mistake}: ${message}`)
    t.notMatch(message, /sk-demo/, 'no key is quoted')
  }
})

t.test('so it does in JSON', async t => {
  for (const [mistake, config, expected] of data) {
    const message = await told(JSON.stringify(config), 'json')
    t.ok(message.includes(expected), `${mistake}: ${message}`)
  }
})
