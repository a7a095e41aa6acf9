import t, { type Test } from 'tap'
import { Workplace, type Finished } from '../kit/turnpike-process.ts'

// A plugin that prints or throws while it starts never shows the secrets of its options.

const secret = 'demo-secret/with "quotes", spaces & lines'
const nested = 'nested-demo-secret'
const pattern = /demo-secret|ZGVtby1zZWNyZXQ/

/** A plugin with secrets in several places. `body` runs in `setup`, with `apiKey` and `options`. */
function withPlugin(body: string): string {
  return `
    import { definePlugin, PluginError } from 'turnpike'
    import { defineConfig, defaults, env } from 'turnpike/config'
    const acme = definePlugin({
      name: 'acme',
      options: {
        type: 'object',
        additionalProperties: false,
        properties: {
          apiKey: { anyOf: [{ type: 'string', writeOnly: true }, { type: 'array', items: { type: 'string', writeOnly: true } }] },
          accounts: { type: 'array', items: { type: 'object', properties: { token: { type: 'string', writeOnly: true } } } },
        },
      },
      instance: options => { ${body.startsWith('instance:') ? body.slice(9) : "return 'one'"} },
      async setup(gateway, options) {
        const [apiKey] = [options.apiKey].flat()
        ${body.startsWith('instance:') ? '' : body}
      },
    })
    export default defineConfig({
      server: { port: 0, admin: false },
      plugins: [...defaults({ without: ['ollama'] }), acme({ apiKey: env('ACME_KEY'), accounts: [{ token: '${nested}' }] })],
    })`
}

async function outputOf(t: Test, body: string, command: string): Promise<Finished> {
  const workplace = new Workplace(withPlugin(body))
  t.teardown(() => workplace.remove())
  return await workplace.spawn([command], [], { ACME_KEY: secret }).finished
}

const leaks = {
  'a message': 'throw new Error(`cannot use ${apiKey}`)',
  'an array of secrets': 'throw new Error(`cannot use ${JSON.stringify(options)}`)',
  'a nested secret': 'throw new Error(`cannot use ${options.accounts[0].token}`)',
  'a PluginError': "throw new PluginError('acme', `cannot use ${apiKey}`)",
  'a text': 'throw `cannot use ${apiKey}`',
  'an object': 'throw { apiKey, message: apiKey }',
  'members, causes and errors within': `
    const cause = Object.assign(new Error(apiKey), { config: { headers: { authorization: apiKey } } })
    throw new AggregateError([new Error(apiKey)], apiKey, { cause })`,
  'an address': "throw new Error('GET https://example.com/?key=' + encodeURIComponent(apiKey) + '&' + new URLSearchParams({ apiKey }))",
  'a basic authorization': "throw new Error('Basic ' + Buffer.from('u:' + apiKey).toString('base64'))",
  'JSON within JSON': 'throw new Error(JSON.stringify({ body: JSON.stringify({ apiKey }) }))',
  'an address in lower case':
    "throw new Error('https://example.com/?key=' + encodeURIComponent(apiKey).replace(/%../g, code => code.toLowerCase()))",
  'base64 in an address':
    "throw new Error('https://example.com/?key=' + encodeURIComponent(Buffer.from(apiKey + '?>').toString('base64')))",
  'base64 of JSON': "throw new Error(Buffer.from(JSON.stringify({ apiKey })).toString('base64'))",
  'JSON within JSON within JSON': 'throw new Error(JSON.stringify(JSON.stringify(JSON.stringify({ apiKey }))))',
  'two writes': `
    for (const stream of [process.stdout, process.stderr]) for (const at of [1, 6, apiKey.length - 1]) {
      stream.write('key: ' + apiKey.slice(0, at))
      stream.write(Buffer.from(apiKey.slice(at) + '\\n'))
    }
    process.stdout.write('kept: ' + apiKey.slice(0, 4))
    await new Promise(resolve => setTimeout(resolve, 20))
    throw new Error('stop')`,
  'bytes as text': `
    const bytes = Buffer.from(apiKey + ' ')
    for (const encoding of ['hex', 'base64', 'latin1', 'utf16le']) process.stdout.write(bytes.toString(encoding), encoding)
    throw new Error('stop')`,
  'what it prints': `
    console.log(options); console.error(apiKey); console.log('%j', options); process.stdout.write(Buffer.from(apiKey))
    process.emitWarning(apiKey)
    gateway.log.warn('bad key', { apiKey, error: new Error(apiKey).message })
    throw new Error('stop')`,
  onStart: 'gateway.onStart(() => { throw new Error(`cannot use ${apiKey}`) })',
  onStop: 'gateway.onStop(() => { throw new Error(`cannot use ${apiKey}`) }); throw new Error(apiKey)',
  'an error nobody catches': 'setTimeout(() => { throw new Error(`cannot use ${apiKey}`) }); await new Promise(() => {})',
  'a rejection nobody catches': 'void Promise.reject(new Error(`cannot use ${apiKey}`)); await new Promise(() => {})',
  instance: 'instance: throw new Error(`cannot use ${options.apiKey}`)',
}

for (const [name, body] of Object.entries(leaks)) {
  t.test(`${name} shows no secret`, async t => {
    for (const command of ['check', 'start']) {
      const { exitCode, stdout, stderr } = await outputOf(t, body, command)
      t.equal(exitCode, 1, command)
      t.match(stdout + stderr, /\*\*\*/, command)
      t.notMatch(stdout + stderr, pattern, command)
    }
  })
}

t.test('the last words on standard error show no secret, and nothing else is lost', async t => {
  const { stderr } = await outputOf(t, "process.stdout.write('de'); process.stderr.end(`the key is ${apiKey} demo`)", 'check')
  t.match(stderr, 'the key is *** demo')
  t.notMatch(stderr, pattern)
  const { stdout, exitCode } = await outputOf(t, "process.stdout.write('starts as demo-'); process.exit(3)", 'check')
  t.equal(stdout, 'starts as demo-')
  t.equal(exitCode, 3)
})
