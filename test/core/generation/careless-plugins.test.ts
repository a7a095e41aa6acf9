import t, { type Test } from 'tap'
import { CatalogSources, definePlugin, Providers, type Endpoint, type GenerationEvent, type Provider } from '../../../core/index.ts'
import { httpProvider, type ProviderAdapter } from '../../../core/kit.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { ask, listing } from '../../kit/stage.ts'

// Providers as an outsider's plugin adds them, in JavaScript and in a hurry.

const secret = 'the words of a prompt'
const none = { type: 'object', additionalProperties: false, properties: {} } as const
const fails = (): never => {
  throw new Error(secret)
}

async function* answer(): AsyncGenerator<GenerationEvent> {
  yield* hello
}

function careless(provider: object): PluginUse {
  return definePlugin({
    name: 'careless',
    options: none,
    setup: registrar => registrar.add(Providers, { id: 'demo', generate: answer, ...provider } as Provider),
  })({})
}

const listed = listing({ model: 'one', endpoints: [{ provider: 'demo', price: { input: 1, output: 1 } }] })

/** Asks the provider, alone and with a fallback. Exactly one error is logged for each, and it names the plugin. */
async function failsAttempt(t: Test, plugin: PluginUse, reason: RegExp, body: object = {}): Promise<void> {
  const under = await gateway({ plugins: [plugin, saying('spare', hello)] })
  t.teardown(under.stop)
  const alone = await ask(under, { model: 'demo/one', ...body })
  t.equal(alone.status, 424)
  t.match(alone.error, { type: 'provider_error', code: 'provider_error' })
  const record = await under.record(alone.requestId)
  t.match(record.attempts, [{ provider: 'demo', outcome: 'protocol' }])
  const failedOver = await ask(under, { model: 'demo/one', routing: { model: { fallbacks: ['spare/one'] } }, ...body })
  t.equal(failedOver.status, 200)
  const errors = under.logs.map(line => JSON.parse(line)).filter(({ level }) => level === 'error')
  t.equal(errors.length, 2)
  for (const line of errors) t.match(line, { plugin: 'careless', provider: 'demo', reason })
  t.notMatch(under.logs.join(''), secret)
}

const badCapabilities: readonly (readonly [unknown, RegExp])[] = [
  [{ tools: 'yes' }, / with a bad `tools`: expected true or false, or nothing, got "yes"$/],
  [{ images: 7 }, / with a bad `images`: expected true or false, or nothing, got 7$/],
  [{ structuredOutput: 'jsonschema' }, / with a bad `structuredOutput`: expected "json_schema", "json_object" or "none", or nothing/],
  [{ efforts: ['huge'] }, / with a bad `efforts`: expected an array of none, minimal/],
  [{ nope: 1 }, / with the unknown member `nope`: expected tools, parallelTools, /],
  [5, /: expected an object, got a number$/],
  [null, /: expected an object, got null$/],
]

t.test('a mistake in capabilities ends the start, and the error names plugin and member', async t => {
  for (const [capabilities, problem] of badCapabilities) {
    if (typeof capabilities === 'object' && capabilities !== null) {
      const error = await gateway({ plugins: [careless({ capabilities })] }).catch((thrown: Error) => thrown)
      t.match((error as Error).message, /^plugin careless adds provider "demo" with `capabilities` with /)
      t.match((error as Error).message, problem)
    }
    const error = await gateway({ plugins: [careless({ capabilitiesOf: () => capabilities }), listed] }).catch((thrown: Error) => thrown)
    t.match((error as Error).message, /^plugin careless returned capabilities from `capabilitiesOf` of provider "demo"/)
    t.match((error as Error).message, problem)
  }
  for (const [capabilitiesOf, problem] of [
    [fails, /^plugin careless failed in `capabilitiesOf` of provider "demo": The message may quote/],
    [async () => ({ tools: false }), /`capabilitiesOf` of provider "demo": expected an object, got a promise \(leave out `async`\)$/],
    [async () => fails(), /`capabilitiesOf` of provider "demo": expected an object, got a promise/],
  ] as const) {
    const error = await gateway({ plugins: [careless({ capabilitiesOf }), listed] }).catch((thrown: Error) => thrown)
    t.match((error as Error).message, problem)
    t.notMatch((error as Error).message, secret)
  }
})

t.test('for a model that no catalog lists, it fails the attempt', async t => {
  await failsAttempt(t, careless({ capabilitiesOf: fails }), /^plugin careless failed in `capabilitiesOf` of provider "demo": /)
  for (const [capabilities, problem] of badCapabilities) await failsAttempt(t, careless({ capabilitiesOf: () => capabilities }), problem)
  await failsAttempt(t, careless({ capabilitiesOf: async () => ({}) }), /expected an object, got a promise \(leave out `async`\)$/)
})

t.test('good capabilities pass, also from a class', async t => {
  class Demo {
    readonly #efforts = ['low']
    readonly id = 'demo'
    readonly capabilities = { tools: false, structuredOutput: 'none', hiddenReasoning: 'asked', images: undefined }
    generate = answer
    capabilitiesOf({ model }: Endpoint) {
      return model === 'two' ? undefined : { efforts: this.#efforts }
    }
  }
  const plugin = definePlugin({
    name: 'careful',
    options: none,
    setup: registrar => registrar.add(Providers, new Demo() as unknown as Provider),
  })({})
  const under = await gateway({ plugins: [plugin, listed] })
  t.teardown(under.stop)
  for (const model of ['demo/one', 'demo/two', 'demo/three']) t.equal((await ask(under, { model })).status, 200)
})

t.test('a rebuild of the catalog names the provider at fault, not the source', async t => {
  let isBad = false
  let changed = (): void => {}
  const source = definePlugin({
    name: 'source',
    options: none,
    setup: registrar =>
      registrar.add(CatalogSources, {
        name: 'source',
        entries: () => [{ model: 'one', endpoints: [{ provider: 'demo' }] }],
        onChange: call => void (changed = call),
      }),
  })({})
  const under = await gateway({ plugins: [careless({ capabilitiesOf: () => (isBad ? fails() : {}) }), source] })
  t.teardown(under.stop)
  isBad = true
  changed()
  t.match(
    under.logs.map(line => JSON.parse(line)).find(({ level }) => level === 'error'),
    { plugin: 'careless', reason: /^plugin careless failed in `capabilitiesOf`/ },
  )
})

t.test('a mistake in `enforcesFormat` fails the attempt', async t => {
  const body = { text: { format: { type: 'json_object' } } }
  const badly = /^plugin careless returned a bad answer from `enforcesFormat` of provider "demo": expected true or false, got /
  await failsAttempt(t, careless({ enforcesFormat: fails }), /^plugin careless failed in `enforcesFormat` of provider "demo": /, body)
  for (const enforcesFormat of [() => undefined, () => 'yes', () => 1, async () => true, async () => fails()])
    await failsAttempt(t, careless({ enforcesFormat }), badly, body)
})

const request = { method: 'POST', url: 'http://127.0.0.1:1/', headers: {}, body: '{}' }

function adapted(adapter: object): PluginUse {
  const whole = { framing: 'sse', prepare: () => request, decoder: () => ({ frame() {} }), reply() {}, failure() {}, ...adapter }
  return definePlugin({
    name: 'careless',
    options: none,
    setup: registrar => registrar.add(Providers, httpProvider('demo', whole as unknown as ProviderAdapter, registrar.http)),
  })({})
}

const badRequests: readonly (readonly [unknown, RegExp])[] = [
  [
    { ...request, headers: { 'x-key': `${secret}\nfoo` } },
    / with a bad `headers`: expected "x-key" without line breaks and .*, got another string$/,
  ],
  [{ ...request, headers: { 'bad name': '1' } }, / with a bad `headers`: expected the name of a header, got another string$/],
  [{ ...request, headers: { 'x-key': { a: secret } } }, / with a bad `headers`: expected a string as "x-key", got an object$/],
  [{ ...request, body: { a: secret } }, / with a bad `body`: expected a string or a Uint8Array, got an object$/],
  [{ ...request, method: 'PO ST' }, / with a bad `method`: expected one such as POST, got another string$/],
  [{ ...request, url: `ftp://127.0.0.1/${encodeURIComponent(secret)}` }, / with a bad `url`: expected one that starts with http:/],
  [{ ...request, url: secret }, / with a bad `url`: expected one that starts with http:/],
  [undefined, /: expected an object with method, url, headers and body, got undefined$/],
  [null, /: expected an object with method, url, headers and body, got null$/],
  [{ ...request, url: new URL(request.url) }, / with a bad `url`: expected a string, got an object$/],
]

t.test('a request that cannot be sent is the plugin’s mistake, and the log says what is wrong with it', async t => {
  for (const [bad, problem] of badRequests) {
    for (const stream of [false, true])
      await failsAttempt(
        t,
        adapted({ prepare: () => bad }),
        new RegExp(`^plugin careless returned from \`prepare\` a request${problem.source}`),
        { stream },
      )
    for (const authorize of [() => bad, async () => bad])
      await failsAttempt(t, adapted({ authorize }), new RegExp(`^plugin careless returned from \`authorize\` a request${problem.source}`))
  }
  for (const prepare of [async () => request, async () => fails()])
    await failsAttempt(
      t,
      adapted({ prepare }),
      /returned from `prepare` a request: expected an object.*, got a promise \(leave out `async`\)$/,
    )
})

t.test('a vendor that cannot be reached is no mistake', async t => {
  const under = await gateway({ plugins: [adapted({})] })
  t.teardown(under.stop)
  const { status, requestId } = await ask(under, { model: 'demo/one' })
  t.equal(status, 424)
  t.match((await under.record(requestId)).attempts[0], { outcome: 'network' })
  t.notMatch(under.logs.join(''), 'a provider plugin failed')
})
