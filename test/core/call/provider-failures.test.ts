import t from 'tap'
import { ProviderFailure, type CatalogEntry, type FailureKind } from '../../../core/index.ts'
import { failurePolicies } from '../../../core/call/attempts/failure-policy.ts'
import { gateway, scripted } from '../../kit/gateway.ts'
import { ask, listing, stop, text, usage, witness, type Witness } from '../../kit/stage.ts'

const settings = { logLevel: 'silent', retries: 0 } as const
const ofProvider: readonly FailureKind[] = ['network', 'unavailable', 'overloaded', 'auth', 'quota']

function failing(id: string, kind: FailureKind): Witness {
  return witness(id, () => {
    throw new ProviderFailure({ kind, message: 'no' })
  })
}

function answering(id: string): Witness {
  return witness(id, () => [text('ok'), usage(1, 1), stop])
}

/** A model of this name at each provider. */
function model(name: string, ...providers: readonly string[]): CatalogEntry {
  return { model: name, endpoints: providers.map(provider => ({ provider, price: { input: 1, output: 1 } })) }
}

const zs = Array.from({ length: 9 }, (_, index) => `z${index}`)

t.test('after a failure of the provider, its other models come after those of others', async t => {
  for (const kind of ofProvider) {
    const fc = failing('fc', kind)
    const fb = answering('fb')
    const under = await gateway({ plugins: [fc.plugin, fb.plugin, listing(...zs.map(z => model(z, 'fc')), model('ok', 'fb'))], settings })
    const fallbacks = [...zs.slice(1), 'fb/ok']
    const { status, headers, requestId } = await ask(under, { model: 'fc/z0', routing: { model: { fallbacks } } })
    t.equal(status, 200, kind)
    // A connection is tried twice: the vendor may have closed it just then.
    t.same([fc.calls.length, fb.calls.length], [kind === 'network' ? 2 : 1, 1])
    t.equal(headers.get('x-gateway-provider'), 'fb')
    const { routing } = await under.record(requestId)
    t.same(routing!.passedOver, { provider: 8 })
    t.same(routing!.candidates.at(-1), { provider: 'fb', model: 'ok', value: null, passedOver: null })
    await under.stop()
  }
})

t.test('a failure of one model leaves the others in their places', async t => {
  for (const kind of ['timeout', 'protocol', 'not-found', 'refused'] as const) {
    const fc = witness('fc', ({ endpoint }) => {
      if (endpoint.model === 'z0') throw new ProviderFailure({ kind, message: 'no' })
      return [text('ok'), usage(1, 1), stop]
    })
    const fb = answering('fb')
    const under = await gateway({
      plugins: [fc.plugin, fb.plugin, listing(model('z0', 'fc'), model('z1', 'fc'), model('ok', 'fb'))],
      settings,
    })
    const { headers } = await ask(under, { model: 'z0', routing: { model: { fallbacks: ['z1', 'ok'] } } })
    t.equal(headers.get('x-gateway-provider'), 'fc', kind)
    await under.stop()
  }
})

t.test('auto leaves a provider that is down, however many models it has', async t => {
  const plugins = [
    failing('fc', 'unavailable').plugin,
    answering('fb').plugin,
    listing(...Array.from({ length: 12 }, (_, index) => model(`a${index}`, 'fc')), model('ok', 'fb')),
  ]
  const under = await gateway({ plugins, settings })
  t.teardown(under.stop)
  for (let round = 0; round < 3; round++) {
    const { status, headers } = await ask(under, { model: 'auto' })
    t.same([status, headers.get('x-gateway-provider')], [200, 'fb'])
  }
})

t.test('all that is left is tried, and what was not asked is told', async t => {
  const fc = failing('fc', 'network')
  const fb = failing('fb', 'unavailable')
  const under = await gateway({ plugins: [fc.plugin, fb.plugin, listing(...zs.map(z => model(z, 'fc')), model('ok', 'fb'))], settings })
  t.teardown(under.stop)
  const { status, error, headers, requestId } = await ask(under, {
    model: 'fc/z0',
    routing: { model: { fallbacks: [...zs.slice(1), 'fb/ok'] } },
  })
  t.equal(status, 424)
  t.equal(error.message, 'The provider "fc" failed: no')
  t.same(
    [fc.calls.length, fb.calls.length],
    [7, 1],
    'eight attempts: the first model twice, then the other provider, then five models once',
  )
  t.equal(headers.get('x-gateway-provider'), 'fc')
  t.equal(headers.get('x-gateway-attempts'), '8')
  t.equal(headers.get('x-gateway-warnings'), 'routing: not asked after 8 attempts: fc/z6, fc/z7, fc/z8')
  const { routing } = await under.record(requestId)
  t.same(routing!.passedOver, { 'attempt-limit': 3 })
})

t.test('a provider whose models fail comes last for other requests, too, and comes back when it answers', async t => {
  let isDown = true
  const clock = { nowMs: 1_000_000 }
  const fc = witness('fc', () => {
    if (isDown) throw new ProviderFailure({ kind: 'unavailable', message: 'no' })
    return [text('ok'), usage(1, 1), stop]
  })
  const fb = answering('fb')
  const models = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => model(name, 'fc', 'fb'))
  const under = await gateway({
    plugins: [fc.plugin, fb.plugin, listing(...models)],
    settings,
    clock: { now: () => clock.nowMs, elapsed: () => clock.nowMs },
  })
  t.teardown(under.stop)
  const answeredBy = async (name: string): Promise<string | null> => (await ask(under, { model: name })).headers.get('x-gateway-provider')
  for (let round = 0; round < 4; round++) t.equal(await answeredBy('a'), 'fb')
  await answeredBy('b')
  t.equal(fc.calls.length, 5, 'failures of one model alone say nothing about the others')
  await answeredBy('b')
  await answeredBy('c')
  await answeredBy('d')
  await answeredBy('e')
  const before = fc.calls.length
  await answeredBy('f')
  t.equal(fc.calls.length, before, 'a model that never failed is not asked either')
  const states = await under.gateway.providers()
  t.match(states.find(({ id }) => id === 'fc')!.circuits.at(-1), { model: '*', state: 'open' })
  isDown = false
  clock.nowMs += 60_001
  t.equal(await answeredBy('f'), 'fc')
  t.equal(await answeredBy('e'), 'fc')
})

t.test('a provider that cannot be reached comes last, though only one model was asked', async t => {
  const fc = failing('fc', 'network')
  const models = ['a', 'b'].map(name => model(name, 'fc', 'fb'))
  const under = await gateway({ plugins: [fc.plugin, answering('fb').plugin, listing(...models)], settings })
  t.teardown(under.stop)
  for (let round = 0; round < 5; round++) await ask(under, { model: 'a' })
  const before = fc.calls.length
  const { status, headers } = await ask(under, { model: 'b' })
  t.same([status, headers.get('x-gateway-provider'), fc.calls.length], [200, 'fb', before])
  t.equal((await ask(under, { model: 'fc/b' })).status, 424, 'who has nowhere else to go is sent there all the same')
  t.equal(fc.calls.length, before + 2, 'twice, as a connection is')
})

t.test('a failure whose kind is none counts as a protocol failure, and the log names the plugin and the kinds', async t => {
  for (const [kind, got] of [
    ['rate_limit', '"rate_limit"'],
    ['toString', '"toString"'],
    ['the words of a prompt', 'another string'],
    [undefined, 'a value of the type undefined'],
  ] as const) {
    const under = await gateway({ plugins: [failing('fc', kind as FailureKind).plugin, answering('fb').plugin] })
    const { status, headers } = await ask(under, { model: 'fc/z', routing: { model: { fallbacks: ['fb/ok'] } } })
    t.equal(status, 200, 'the next endpoint is asked')
    t.equal(headers.get('x-gateway-provider'), 'fb')
    const { status: alone, error } = await ask(under, { model: 'fc/z' })
    t.equal(alone, 424)
    t.match(error, { code: 'provider_error' })
    const line = under.logs.map(each => JSON.parse(each)).find(({ level }) => level === 'error')
    t.match(line, { provider: 'fc', plugin: /fc/, message: 'a provider plugin failed' })
    t.match(
      line.reason,
      `threw a ProviderFailure with a bad \`kind\`: expected one of ${Object.keys(failurePolicies).join(', ')}, got ${got}`,
    )
    t.notMatch(under.logs.join(''), /words of a prompt/)
    await under.stop()
  }
})

t.test('a generate that returns no async iterable says so', async t => {
  for (const [returned, got] of [
    [undefined, 'undefined'],
    [[text('ok'), stop], 'an array'],
    ['the words of a prompt', 'a string'],
    [Promise.resolve([stop]), 'a promise (write `async *generate`)'],
  ] as const) {
    const under = await gateway({ plugins: [scripted('fc', () => returned as never)] })
    const { status, error } = await ask(under, { model: 'fc/z' })
    t.equal(status, 424)
    t.notMatch(error.message, /iterable/)
    const line = under.logs.map(each => JSON.parse(each)).find(({ level }) => level === 'error')
    t.match(line, { provider: 'fc', plugin: 'scripted-fc', error: 'PluginError', message: 'a provider plugin failed' })
    t.equal(
      line.reason,
      `plugin scripted-fc returned from generate of provider "fc" what is no async iterable: expected one, such as an async generator, got ${got}`,
    )
    await under.stop()
  }
})
