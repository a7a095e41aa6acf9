import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import t from 'tap'
import { defaults, env, type DefaultEntry } from '../../config/index.ts'
import { loadConfig } from '../../config/load.ts'
import { openGateway } from '../../config/open-gateway.ts'
import { serverSchema } from '../../config/schema.ts'
import { check } from '../../core/framework/checked-plugins.ts'
import { order } from '../../core/framework/plugin-order.ts'
import { nameOf } from '../../core/foundation/token.ts'
import memory from '../../plugins/stores/memory/index.ts'
import sql from '../../plugins/stores/sql/index.ts'
import { defaultSettings } from '../../core/framework/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'turnpike-config-'))
t.teardown(() => rmSync(folder, { recursive: true }))

let files = 0

function write(text: string, extension = 'ts'): string {
  const path = join(folder, `config-${++files}.${extension}`)
  writeFileSync(path, text)
  return path
}

t.test('a config is read with its types, lists, promises and gaps, and defaults are filled in', async t => {
  const path = write(`
    import { defineConfig, optionalEnv } from 'turnpike/config'
    import health from 'turnpike/plugins/endpoints/health'
    import memory from 'turnpike/plugins/stores/memory'
    const port: number = 9000
    export default defineConfig({
      server: { port },
      plugins: [health({}), [Promise.resolve([memory({ services: ['keys'] })])], optionalEnv('TURNPIKE_TEST_ABSENT') && health({}), null, Promise.resolve(undefined)],
    })`)
  const { server, plugins, problems, file } = await loadConfig(path)
  t.same(
    plugins.map(use => use.plugin.name),
    ['health', 'memory'],
  )
  t.same(problems, [])
  t.match(file, /config-1\.ts$/)
  t.match(server, { ...defaultSettings, host: '127.0.0.1', port: 9000, drainTimeoutMs: 30_000 })
  t.equal((await loadConfig(path, { port: 9001 })).server.port, 9001, 'the command line wins')
})

t.test('every setting of the core can be set, and has its default from there', async t => {
  for (const [name, value] of Object.entries(defaultSettings)) {
    const properties: Readonly<Record<string, object>> = serverSchema.properties
    t.match(properties[name], { default: value }, name)
  }
})

t.test('only origins that a browser could send are accepted', async t => {
  const problemsOf = async (origin: string): Promise<readonly string[]> => {
    const server = JSON.stringify({ cors: { origins: [origin] } })
    return (await loadConfig(write(`export default { server: ${server}, plugins: [] }`))).problems
  }
  for (const origin of ['*', 'https://app.example.com', 'http://localhost:3000', 'http://[::1]:3000', 'app://example'])
    t.same(await problemsOf(origin), [], origin)
  for (const origin of [
    'https://*.example.com',
    'localhost:3000',
    'https://example.com/',
    'https://Example.com',
    'https://example.com:443',
    'null',
  ])
    t.match(await problemsOf(origin), [/^server\.cors\.origins\[0\] must be "\*" or an exact origin: .*, got "/], origin)
})

t.test('javascript is as good', async t => {
  const { plugins } = await loadConfig(
    write(`import { defaults } from 'turnpike/config'; export default { plugins: defaults({ without: ['ollama'] }) }`, 'mjs'),
  )
  t.ok(plugins.length > 6)
})

const faults: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ['an empty file', '', /has no default export\. Expected: export default defineConfig/],
  ['no default export', 'export const config = { plugins: [] }', /has no default export/],
  ['a syntax error', 'export default {\n  plugins: [}\n}', /cannot be loaded: .*config-\d+\.ts:2\n[^]*plugins: \[}/],
  ['TypeScript that cannot be stripped', 'enum Kind { A }\nexport default { plugins: [] }', /:1\n[^]*enum is not supported/],
  [
    'a missing file',
    `import './absent.ts'\nexport default { plugins: [] }`,
    /Cannot find module '.*absent\.ts' imported from .*config-\d+\.ts/,
  ],
  [
    'a missing plugin',
    `import plugin from 'turnpike/plugins/absent'\nexport default { plugins: [plugin] }`,
    /turnpike has no turnpike\/plugins\/absent/,
  ],
  ['a missing export', `import { absent } from 'turnpike/config'\nexport default absent`, /does not provide an export named 'absent'/],
  [
    'a missing variable',
    `import { env } from 'turnpike/config'\nexport default { plugins: [env('TURNPIKE_TEST_ABSENT')] }`,
    /The environment variable TURNPIKE_TEST_ABSENT is not set\. .*config-\d+\.ts:2:/,
  ],
  [
    'an error that looks like a missing config',
    `import { readFileSync } from 'node:fs'\nreadFileSync('/absent')\nexport default { plugins: [] }`,
    /ENOENT.*'\/absent' \(.*config-\d+\.ts:2:1\)/,
  ],
  ['an unknown section', 'export default { plugin: [] }', /unknown section "plugin"\. Expected only server and plugins/],
  [
    'a server that is no object',
    'export default { server: null, plugins: [] }',
    /"server" must be an object\. Expected: server: \{ port: 8080 \}/,
  ],
  ['no plugins', 'export default { server: {} }', /"plugins" must be an array\. Expected: plugins: \[\.\.\.\]/],
  [
    'plugins that are a function',
    'export default { plugins: function defaults() {} }',
    /must be an array\. Call it: plugins: \[\.\.\.defaults\(\)\]/,
  ],
  [
    'a default export that is a function',
    'export default () => ({ plugins: [] })',
    /Its default export is a function\. Expected: export default defineConfig/,
  ],
  [
    'a promise that fails',
    `export default { plugins: [Promise.reject(new Error('no such list'))] }`,
    /#1 in `plugins` is a promise that was rejected: no such list/,
  ],
  [
    'a default that there is not',
    `import { defaults } from 'turnpike/config'\nexport default { plugins: defaults({ without: ['memry'] }) }`,
    /does not know "memry"\. Did you mean memory\?/,
  ],
  [
    'an option of the defaults that there is not',
    `import { defaults } from 'turnpike/config'\nexport default { plugins: defaults({ withut: ['memory'] }) }`,
    /defaults\(\) has no option withut\. Did you mean without\?/,
  ],
  [
    'defaults without a word',
    `import { defaults } from 'turnpike/config'\nexport default { plugins: defaults({ without: 'sandbox' }) }`,
    /defaults\(\{ without \}\) must be an array, such as \['sandbox'\], got "sandbox"/,
  ],
]

t.test('a mistake in an import or in JavaScript is told with its remedy', async t => {
  const faults: readonly (readonly [text: string, extension: string, message: RegExp])[] = [
    [
      `export default {\n  plugins: [}\n}`,
      'mjs',
      /cannot be loaded: .*config-\d+\.mjs:2\n {2}plugins: \[}\n[^]*SyntaxError: Unexpected token/,
    ],
    [
      `import { memory } from 'turnpike/plugins/stores/memory'\nexport default memory`,
      'ts',
      /A plugin is the default export: import memory from 'turnpike\/plugins\/stores\/memory'/,
    ],
    [`import { defaults } from 'turnpike'\nexport default defaults`, 'ts', /import \{ defaults \} from 'turnpike\/config'/],
    [`import { KeyStore } from 'turnpike'\nexport default KeyStore`, 'ts', /import \{ KeyStore \} from 'turnpike\/stores'/],
    [
      `import { defaults } from 'turnpike/config'\nexport default { plugins: [...defaults] }`,
      'ts',
      /defaults is not iterable .*Call it: \.\.\.defaults\(\)/,
    ],
  ]
  for (const [text, extension, message] of faults) await t.rejects(loadConfig(write(text, extension)), { name: 'ConfigError', message })
})

t.test('a config that cannot be read names the file and what was expected', async t => {
  for (const [name, text, message] of faults) {
    const path = write(text)
    const error = await loadConfig(path).catch((error: unknown) => error)
    t.match(error, { name: 'ConfigError', message }, name)
    t.match(error, { message: new RegExp(`config-${files}\\.ts: `) }, `${name}: the file is named`)
  }
  await t.rejects(loadConfig(join(folder, 'absent.ts')), { message: /absent\.ts: There is no such file/ })
  await t.rejects(loadConfig(write('plugins = []', 'toml')), {
    message: /Expected a \.ts, \.mts, \.js, \.mjs, \.json, \.yaml or \.yml file/,
  })
})

t.test('a folder without a config says where one was looked for', async t => {
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  process.chdir(folder)
  await t.rejects(loadConfig(), { message: /There is no gateway\.config\.ts, .* in .*turnpike-config-.*--config/ })
  writeFileSync(join(folder, 'gateway.config.ts'), 'export default { plugins: [] }')
  t.equal((await loadConfig()).file, 'gateway.config.ts')
})

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(folder, 'site-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

t.test('a TypeScript config runs beside any package.json, with the files that it imports', async t => {
  const files = {
    'port.ts': 'export const port: number = 9100',
    'gateway.config.ts': `import { port } from './port.ts'\nexport default { server: { port }, plugins: [] }`,
  }
  for (const manifest of ['{"type":"commonjs"}', '{}', '{"type":"module"}']) {
    const path = folderWith({ ...files, 'package.json': manifest })
    const { server } = await loadConfig(join(path, 'gateway.config.ts'))
    t.equal(server.port, 9100, manifest)
  }
})

t.test('each name of a config is found, and its folder is known', async t => {
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  for (const name of ['gateway.config.ts', 'gateway.config.mts', 'gateway.config.js', 'gateway.config.mjs']) {
    process.chdir(folderWith({ [name]: 'export default { plugins: [] }', 'package.json': '{"type":"module"}' }))
    t.match(await loadConfig(), { file: name, folder: process.cwd() })
  }
  const elsewhere = folderWith({ 'gateway.config.mts': 'export default { plugins: [] }' })
  t.equal((await loadConfig(join(elsewhere, 'gateway.config.mts'))).folder, elsewhere)
})

t.test('.env beside the config is read first, and the real environment wins', async t => {
  t.teardown(() => {
    for (const name of ['TURNPIKE_TEST_A', 'TURNPIKE_TEST_B']) delete process.env[name]
  })
  process.env['TURNPIKE_TEST_A'] = '9201'
  const path = folderWith({
    '.env': 'TURNPIKE_TEST_A=1\n# a comment\nTURNPIKE_TEST_B="a b"\n',
    'gateway.config.ts': `
      import { env } from 'turnpike/config'
      export default { server: { port: Number(env('TURNPIKE_TEST_A')), mediaHosts: [env('TURNPIKE_TEST_B')] }, plugins: [] }`,
  })
  const { server } = await loadConfig(join(path, 'gateway.config.ts'))
  t.match(server, { port: 9201, mediaHosts: ['a b'] })

  const broken = folderWith({ 'gateway.config.ts': 'export default { plugins: [] }' })
  mkdirSync(join(broken, '.env'))
  await t.rejects(loadConfig(join(broken, 'gateway.config.ts')), { name: 'ConfigError', message: /\.env: It cannot be read/ })
})

t.test('all missing variables are named at once', async t => {
  const path = write(`
    import { env } from 'turnpike/config'
    const url = new URL(env('TURNPIKE_TEST_ABSENT'))
    export default { plugins: [] }`)
  await t.rejects(loadConfig(path), { message: /TURNPIKE_TEST_ABSENT is not set\. Set it, or remove what needs it\. \(.*:3:/ })
  const several = write(`
    import { env } from 'turnpike/config'
    const names = ['TURNPIKE_TEST_ABSENT', 'TURNPIKE_TEST_GONE', 'TURNPIKE_TEST_ABSENT']
    export default { server: { port: Number(env('TURNPIKE_TEST_PORT')) }, plugins: names.map(name => Promise.resolve().then(() => env(name))) }`)
  const error = await loadConfig(several).catch((error: unknown) => error)
  t.match((error as Error).message, /: 3 problems\n.*_PORT is not set.*\n.*_ABSENT is not set.*\n.*_GONE is not set/)
  t.throws(() => env('TURNPIKE_TEST_ABSENT'), /TURNPIKE_TEST_ABSENT is not set/, 'outside a config it throws')
})

t.test('a key that no header can carry is told with its variable', async t => {
  const key = 'sk-demo-key\nsecond-line'
  process.env['TURNPIKE_TEST_KEY'] = `sk-demo-one,${key}`
  t.teardown(() => delete process.env['TURNPIKE_TEST_KEY'])
  const path = write(`
    import { defineConfig, env } from 'turnpike/config'
    import openai from 'turnpike/plugins/providers/openai-responses'
    export default defineConfig({ plugins: [openai({ apiKey: env('TURNPIKE_TEST_KEY').split(',') })] })`)
  const error: unknown = await openGateway(await loadConfig(path), { logLevel: 'silent' }).catch((thrown: unknown) => thrown)
  const { message } = error as Error
  t.match(message, /plugin openai-responses\(openai\) failed to set up: character 12 of 23 in the option apiKey, a line break, cannot/)
  t.match(message, /It is the value of TURNPIKE_TEST_KEY$/)
  t.notMatch(inspect(error, { depth: 9, showHidden: true }), /sk-demo|second-line/)
})

t.test('bad server options are told all at once', async t => {
  const { problems } = await loadConfig(
    write(
      `export default { server: { prot: 1, port: 'x', logLevel: 'loud', maxAttempts: 0, host: 'a b', runTimeoutMs: 2 ** 31 }, plugins: [] }`,
    ),
  )
  t.same(problems, [
    'unknown option server.prot; did you mean port?',
    'server.host must be an IP address or a host name, such as 127.0.0.1, :: or localhost (IPv6 without brackets), got "a b"',
    'server.port must be an integer, got "x"',
    'server.logLevel must be one of debug, info, warn, error, silent, got "loud"',
    'server.runTimeoutMs must be at most 2147483647 ms, which is almost 25 days, got 2147483648',
    'server.maxAttempts must be at least 1, got 0',
  ])
})

t.test('the defaults follow the environment', async t => {
  const variables = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GROQ_API_KEY', 'GATEWAY_MASTER_KEY'] as const
  const before = Object.fromEntries(variables.map(name => [name, process.env[name]]))
  t.teardown(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  for (const name of variables) delete process.env[name]
  const bare = await names(defaults({ without: ['ollama'] }))
  t.ok(['memory', 'sql', 'local-sealer', 'console-log', 'responses', 'models', 'health', 'sandbox'].every(name => bare.includes(name)))
  for (const name of variables) process.env[name] = `demo-${name}`
  const found = await names(defaults({ without: ['ollama', 'sandbox'] }))
  t.ok(['openai-responses', 'anthropic', 'openai-chat groq'].every(name => found.includes(name)))
  t.notOk(found.includes('openai-chat openai'), 'OpenAI speaks its newer dialect')
  t.notOk(found.includes('sandbox'))
  t.notOk((await names(defaults({ without: ['ollama', 'openai', 'groq'] }))).some(name => /openai-responses|groq/.test(name)))
})

t.test('search engines join by their variables, in a fixed order', async t => {
  const variables = {
    TAVILY_API_KEY: 'tavily-search',
    BRAVE_SEARCH_API_KEY: 'brave-search',
    EXA_API_KEY: 'exa-search',
    LINKUP_API_KEY: 'linkup-search',
    SERPER_API_KEY: 'serper-search',
    JINA_API_KEY: 'jina-search',
    KAGI_API_KEY: 'kagi-search',
    GOOGLE_SEARCH_API_KEY: 'google-search',
    SEARXNG_BASE_URL: 'searxng-search',
  }
  const before = { ...process.env }
  t.teardown(() => {
    for (const name of [...Object.keys(variables), 'GOOGLE_SEARCH_ENGINE_ID']) delete process.env[name]
    Object.assign(process.env, before)
  })
  const engines = async (): Promise<readonly string[]> =>
    (await names(defaults({ without: ['ollama'] }))).filter(name => name.endsWith('-search') && name !== 'web-search')
  for (const name of [...Object.keys(variables), 'PERPLEXITY_API_KEY']) delete process.env[name]
  t.same(await engines(), ['static-search'])
  for (const name of Object.keys(variables)) process.env[name] = name === 'SEARXNG_BASE_URL' ? 'http://searxng.example.com' : 'demo'
  process.env['PERPLEXITY_API_KEY'] = 'demo'
  t.notOk((await engines()).includes('google-search'), 'its engine is not named')
  process.env['GOOGLE_SEARCH_ENGINE_ID'] = 'demo:engine'
  const all = (await Promise.all(defaults({ without: ['ollama'] }))).filter(entry => entry !== false)
  t.same(await engines(), [...Object.values(variables), 'static-search'])
  t.doesNotThrow(() => check(all))
  for (const [variable, name] of Object.entries(variables)) {
    delete process.env[variable]
    t.notOk((await engines()).includes(name), `${name} needs ${variable}`)
  }
  delete process.env['PERPLEXITY_API_KEY']
})

t.test('defaults say what adds each provider that is not there', async t => {
  const before = process.env['OPENAI_API_KEY']
  t.teardown(() => {
    if (before !== undefined) process.env['OPENAI_API_KEY'] = before
  })
  delete process.env['OPENAI_API_KEY']
  const remedies = async (without: readonly string[]): Promise<ReadonlyMap<string, string> | undefined> => {
    const entries = await Promise.all(defaults({ without }))
    const use = entries.find(entry => entry && entry.plugin.name === 'absent-providers')
    if (!use) return undefined
    const { providers } = use.options as { providers: readonly { id: string; remedy: string }[] }
    return new Map(providers.map(({ id, remedy }) => [id, remedy]))
  }
  t.equal((await remedies([]))?.get('openai'), 'set OPENAI_API_KEY')
  t.equal((await remedies(['openai']))?.get('openai'), undefined, 'what was left out would not be added')
  t.equal(await remedies(['absent-providers']), undefined)
  process.env['OPENAI_API_KEY'] = 'sk-demo'
  t.equal((await remedies([]))?.get('openai'), undefined, 'it is there')
  delete process.env['OPENAI_API_KEY']
})

t.test('plugins in a config take precedence over the defaults', async t => {
  const providers = async (uses: readonly DefaultEntry[]): Promise<Readonly<Record<string, string>>> => {
    const settled = (await Promise.all(uses)).filter(use => use !== false)
    const provided = order(check(settled)).flatMap(({ name, provides }) => provides.map(service => [nameOf(service), name]))
    return Object.fromEntries(provided) as Record<string, string>
  }
  const usual = {
    'key-store': 'sql',
    'response-store': 'sql',
    'conversation-store': 'sql',
    'background-store': 'sql',
    'metric-store': 'sql',
    'account-store': 'sql',
    'rate-limiter': 'sql',
    ledger: 'sql',
    'record-store': 'sql',
    'audit-trail': 'sql',
    'admin-token-store': 'sql',
    'sign-outs': 'sql',
    'alert-store': 'sql',
    'alert-target-store': 'sql',
    'alert-outbox': 'sql',
    'alert-targets': 'alert-webhook',
    'saved-windows': 'sql',
    sealer: 'local-sealer',
    compactor: 'summary',
    conversations: 'conversations',
  }
  const without = (...names: readonly string[]) => defaults({ without: ['ollama', ...names] })
  const file = './elsewhere.db'
  const olderMemory = memory({ services: ['metrics', 'limits', 'ledger'] })
  t.same(await providers(without()), usual)
  t.same(await providers([...without('sql'), sql({ file })]), usual)
  t.same(await providers([...without('sql', 'memory'), memory({ services: ['limits', 'ledger'] }), sql({ file })]), {
    ...usual,
    'rate-limiter': 'memory',
    ledger: 'memory',
  })
  const metricsInMemory = { ...usual, 'metric-store': 'memory', 'rate-limiter': 'memory', ledger: 'memory' }
  t.same(await providers([...without('sql', 'memory'), olderMemory, sql({ file })]), metricsInMemory)
  const inMemory = Object.fromEntries(Object.entries(usual).map(([service, plugin]) => [service, plugin === 'sql' ? 'memory' : plugin]))
  const keysAndResponses = { ...inMemory, 'key-store': 'sql', 'response-store': 'sql' }
  t.same(await providers([...without('sql'), sql({ file, services: ['keys', 'responses'] })]), keysAndResponses)
  t.same(await providers([...without('memory'), olderMemory]), metricsInMemory)
  t.same(await providers([...without('memory', 'sql'), memory({})]), inMemory)
  t.same(await providers([...without('memory'), memory({})]), inMemory, 'the database is not used')
  t.same(await providers([...without('memory', 'sql'), memory({}), sql({ services: ['keys'] })]), { ...inMemory, 'key-store': 'sql' })
  await t.rejects(providers([memory({}), sql({ file })]), { message: 'plugin sql provides key-store, as plugin memory already does' })
})

t.test('a variable makes the operator a target of alerts', async t => {
  const names = ['URL', 'FORMAT', 'SECRET'].map(name => `TURNPIKE_ALERT_WEBHOOK_${name}`)
  t.teardown(() => {
    for (const name of names) delete process.env[name]
  })
  const targets = async (): Promise<unknown> => {
    const uses = await Promise.all(defaults({ without: ['ollama'] }))
    return (uses.find(use => use !== false && use.plugin.name === 'alert-webhook') as { readonly options: object }).options
  }
  t.same(await targets(), {})
  process.env['TURNPIKE_ALERT_WEBHOOK_FORMAT'] = 'slack'
  await t.rejects(targets(), { message: /^TURNPIKE_ALERT_WEBHOOK_FORMAT is set, but TURNPIKE_ALERT_WEBHOOK_URL is not/ })
  delete process.env['TURNPIKE_ALERT_WEBHOOK_FORMAT']
  const url = 'https://hooks.example.com/demo'
  process.env['TURNPIKE_ALERT_WEBHOOK_URL'] = url
  t.same(await targets(), { targets: [{ url }] })
  process.env['TURNPIKE_ALERT_WEBHOOK_FORMAT'] = 'teams'
  process.env['TURNPIKE_ALERT_WEBHOOK_SECRET'] = 'whsec_new, whsec_old'
  t.same(await targets(), { targets: [{ url, format: 'teams', secret: ['whsec_new', 'whsec_old'] }] })
})

t.test('the assemblies of this repository are sound', async t => {
  const variables = { OPENAI_API_KEY: 'sk-demo', ACME_API_KEY: 'sk-demo', GLOBEX_API_KEY: 'sk-demo' }
  const before = { ...process.env }
  t.teardown(() => {
    for (const name of Object.keys(variables)) delete process.env[name]
    Object.assign(process.env, before)
  })
  Object.assign(process.env, variables)
  const examples = ['minimal', 'custom-provider', 'custom-dialect'].map(name => `examples/${name}/gateway.config.ts`)
  for (const path of ['gateway.config.ts', ...examples]) {
    const { plugins, problems } = await loadConfig(fileURLToPath(new URL(`../../${path}`, import.meta.url)))
    t.same(problems, [])
    t.equal(order(check(plugins)).length, plugins.length, path)
  }
})

t.test('Ollama joins where it answers', async t => {
  const server = createServer(socket => socket.destroy())
  const isListening = await new Promise<boolean>(resolve =>
    server.once('error', () => resolve(false)).listen(11_434, '127.0.0.1', () => resolve(true)),
  )
  if (isListening) t.teardown(() => server.close())
  else t.comment('something listens there already')
  t.ok((await names(defaults())).includes('ollama'))
})

async function names(entries: readonly DefaultEntry[]): Promise<readonly string[]> {
  const uses = (await Promise.all(entries)).filter(entry => entry !== false)
  return uses.map(({ plugin, options }) => ('host' in options ? `${plugin.name} ${options.host}` : plugin.name))
}
