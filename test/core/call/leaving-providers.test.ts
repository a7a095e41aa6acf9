import t from 'tap'
import { ProviderFailure, type CatalogEntry, type FailureKind, type Provider } from '../../../core/index.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { ask, listing, witness, type Witness } from '../../kit/stage.ts'

const silent = { logLevel: 'silent', retries: 0 } as const

function failing(id: string, failure: ConstructorParameters<typeof ProviderFailure>[0], more: Partial<Provider> = {}): Witness {
  return witness(
    id,
    () => {
      throw new ProviderFailure(failure)
    },
    more,
  )
}

function keys(count: number): Partial<Provider> {
  return { credentials: Array.from({ length: count }, (_, index) => ({ id: `k${index}`, account: `k${index}` })) }
}

function model(name: string, ...providers: readonly string[]): CatalogEntry {
  return { model: name, endpoints: providers.map(provider => ({ provider })) }
}

t.test('many credentials that fail leave attempts for other providers', async t => {
  for (const [kind, status] of [
    ['auth', 401],
    ['quota', 402],
    ['quota', 429],
    ['rate-limit', 429],
    ['auth', 403],
  ] as const) {
    const fc = failing('fc', { kind, status, message: 'no' }, keys(12))
    const fb = witness('fb', () => hello)
    const under = await gateway({ plugins: [fc.plugin, fb.plugin, listing(model('m', 'fc', 'fb'), model('n', 'fc'))], settings: silent })
    const answer = await ask(under, { model: 'm' })
    t.same([answer.status, answer.headers.get('x-gateway-provider'), fc.calls.length], [200, 'fb', 3], `${kind} ${status}`)
    fc.calls.length = 0
    const { error } = await ask(under, { model: 'fc/n' })
    t.ok(error, 'with nobody else, all attempts are for its credentials')
    t.equal(fc.calls.length, 8)
    await under.stop()
  }
})

t.test('credentials that rest are asked after other providers, whatever the model', async t => {
  const fc = failing('fc', { kind: 'auth', status: 401, message: 'no' }, keys(2))
  const fb = witness('fb', () => hello)
  const entries = ['m', 'n', 'o'].map(name => model(name, 'fc', 'fb'))
  const under = await gateway({ plugins: [fc.plugin, fb.plugin, listing(...entries)], settings: silent })
  t.teardown(under.stop)
  for (const name of ['m', 'n', 'o'])
    t.equal((await ask(under, { model: name })).headers.get('x-gateway-attempts'), name === 'm' ? '3' : '1')
  const { requestId } = await ask(under, { model: 'o' })
  t.same((await under.record(requestId)).routing!.passedOver, { circuit: 1 })
})

t.test('a rate limit of the only credential leaves the provider, for this request', async t => {
  const fc = witness('fc', ({ endpoint }) => {
    if (endpoint.model === 'm') throw new ProviderFailure({ kind: 'rate-limit', status: 429, message: 'no' })
    return hello
  })
  const fb = witness('fb', () => hello)
  const under = await gateway({
    plugins: [fc.plugin, fb.plugin, listing(model('m', 'fc'), model('n', 'fc'), model('o', 'fb'))],
    settings: silent,
  })
  t.teardown(under.stop)
  const { headers } = await ask(under, { model: 'm', routing: { model: { fallbacks: ['n', 'o'] } } })
  t.equal(headers.get('x-gateway-provider'), 'fb')
  t.equal((await ask(under, { model: 'n' })).headers.get('x-gateway-provider'), 'fc', 'limits are often those of a model')
})

t.test('the last attempt is for another provider, not for a repeat', async t => {
  const fc = failing('fc', { kind: 'network', message: 'reset' })
  const fb = witness('fb', () => hello)
  const under = await gateway({
    plugins: [fc.plugin, fb.plugin, listing(model('m', 'fc', 'fb'))],
    settings: { ...silent, maxAttempts: 2 },
  })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'm' })).headers.get('x-gateway-provider'), 'fb')
})

t.test('a provider that knows none of its models is left', async t => {
  const fc = failing('fc', { kind: 'not-found', status: 404, message: 'no such page' })
  const fb = witness('fb', () => hello)
  const models = Array.from({ length: 12 }, (_, index) => ({ ...model(`a${index}`, 'fc'), auto: true }))
  const under = await gateway({
    plugins: [fc.plugin, fb.plugin, listing(...models, { ...model('z', 'fb'), auto: true })],
    settings: silent,
  })
  t.teardown(under.stop)
  const { status, headers } = await ask(under, { model: 'auto' })
  t.same([status, headers.get('x-gateway-provider'), headers.get('x-gateway-attempts')], [200, 'fb', '3'])
})

t.test('one model that is reset, or names that are made up, leave the provider to others', async t => {
  for (const [failure, name] of [
    [{ kind: 'network', progress: 'connected', message: 'reset' }, () => 'fc/bad'],
    [{ kind: 'network', progress: 'connected', message: 'reset' }, (round: number) => `fc/zz${round}`],
    [{ kind: 'unavailable', status: 500, message: 'no' }, (round: number) => `fc/zz${round}`],
    [{ kind: 'not-found', status: 404, message: 'no' }, (round: number) => `fc/zz${round}`],
    [{ kind: 'timeout', progress: 'connected', message: 'silent' }, (round: number) => `fc/zz${round}`],
  ] as const) {
    const fc = witness('fc', ({ endpoint }) => {
      if (endpoint.model !== 'good') throw new ProviderFailure(failure)
      return hello
    })
    const fb = witness('fb', () => hello)
    const under = await gateway({
      plugins: [fc.plugin, fb.plugin, listing(model('good', 'fc', 'fb'), model('bad', 'fc'))],
      settings: silent,
    })
    for (let round = 0; round < 20; round++) await ask(under, { model: name(round) })
    t.equal((await ask(under, { model: 'good' })).headers.get('x-gateway-provider'), 'fc', `${failure.kind} of ${name(1)}`)
    await under.stop()
  }
})

t.test('failures are weighed against what the provider answers', async t => {
  const fc = witness('fc', ({ endpoint }) => {
    if (endpoint.model !== 'good') throw new ProviderFailure({ kind: 'unavailable', message: 'no' })
    return hello
  })
  const fb = witness('fb', () => hello)
  const bad = ['bad', 'worse', 'worst']
  const at = { ms: 1_000_000 }
  const under = await gateway({
    plugins: [fc.plugin, fb.plugin, listing(model('good', 'fc', 'fb'), ...bad.map(name => model(name, 'fc', 'fb')))],
    settings: silent,
    clock: { now: () => at.ms, elapsed: () => at.ms },
  })
  t.teardown(under.stop)
  const answeredBy = async (): Promise<string | null> => (await ask(under, { model: 'good' })).headers.get('x-gateway-provider')
  const worsen = async (): Promise<void> => {
    for (const name of bad) for (let round = 0; round < 2; round++) await ask(under, { model: name })
  }
  for (let round = 0; round < 30; round++) await answeredBy()
  await worsen()
  t.equal(await answeredBy(), 'fc', 'answers from before the first failure count, too')
  at.ms += 61_000
  await worsen()
  t.equal(await answeredBy(), 'fb', 'a minute later there are only failures')
})

t.test('made-up names share the retries of a provider', async t => {
  const fc = failing('fc', { kind: 'unavailable', message: 'no' })
  const under = await gateway({
    plugins: [fc.plugin],
    settings: { logLevel: 'silent' },
    backoff: { random: () => 0, sleep: () => Promise.resolve() },
  })
  t.teardown(under.stop)
  for (let round = 0; round < 5; round++) await ask(under, { model: `fc/zz${round}` })
  t.equal(fc.calls.length, 3 + 4)
})

t.test('a provider that never replies is left, in a request and for others', async t => {
  const kinds: readonly FailureKind[] = ['timeout']
  for (const kind of kinds) {
    const fc = failing('fc', { kind, progress: 'connected', message: 'silence' })
    const fb = witness('fb', () => hello)
    const entries = [model('a', 'fc'), model('b', 'fc'), model('z', 'fb'), model('c', 'fc', 'fb')]
    const under = await gateway({ plugins: [fc.plugin, fb.plugin, listing(...entries)], settings: silent })
    for (const first of ['a', 'b', 'a', 'b', 'a', 'b']) {
      const other = first === 'a' ? 'b' : 'a'
      const { headers } = await ask(under, { model: first, routing: { model: { fallbacks: [other, 'z'] } } })
      t.same([headers.get('x-gateway-provider'), Number(headers.get('x-gateway-attempts')) <= 2], ['fb', true])
    }
    const before = fc.calls.length
    t.equal((await ask(under, { model: 'c' })).headers.get('x-gateway-provider'), 'fb')
    t.equal(fc.calls.length, before, 'a model that never failed is not asked either')
    await under.stop()
  }
})

t.test('pages instead of replies, and replies that say nothing, leave a provider at the second model', async t => {
  for (const failure of [{ kind: 'protocol' }, { kind: 'timeout', progress: 'replied' }] as const) {
    const fc = failing('fc', { ...failure, message: 'no' })
    const fb = witness('fb', () => hello)
    const names = Array.from({ length: 10 }, (_, index) => `z${index}`)
    const models = [...names.map(name => model(name, 'fc')), model('ok', 'fb')]
    const under = await gateway({ plugins: [fc.plugin, fb.plugin, listing(...models)], settings: silent })
    const [first, ...others] = names.map(name => `fc/${name}`)
    const answer = await ask(under, { model: first, routing: { model: { fallbacks: [...others, 'fb/ok'] } } })
    t.same([answer.status, answer.headers.get('x-gateway-provider'), fc.calls.length], [200, 'fb', 2], failure.kind)
    await under.stop()
  }
})

t.test("refusals that one caller's content causes do not lower the uptime of an endpoint", async t => {
  for (const [kind, status, uptime] of [
    ['auth', 403, 1],
    ['quota', 402, 1],
    ['auth', 401, 0],
  ] as const) {
    const fc = failing('fc', { kind, status, message: 'no' })
    const under = await gateway({ plugins: [fc.plugin, listing(model('m', 'fc'))], settings: silent })
    t.equal((await ask(under, { model: 'm' })).status, 424)
    const { candidates } = await under.gateway.routes({ model: 'm', sort: 'uptime' })
    t.equal(candidates[0]!.uptime, uptime, `${status}`)
    await under.stop()
  }
})

t.test('a provider that does not know unlisted names is left, too', async t => {
  const fc = failing('fc', { kind: 'not-found', status: 404, message: 'no' })
  const fb = witness('fb', () => hello)
  for (const [maxAttempts, asked] of [
    [8, 2],
    [2, 1],
  ] as const) {
    fc.calls.length = 0
    const under = await gateway({ plugins: [fc.plugin, fb.plugin, listing(model('z', 'fb'))], settings: { ...silent, maxAttempts } })
    const madeUp = Array.from({ length: 10 }, (_, index) => `fc/made-up-${index}`)
    const { status, headers } = await ask(under, { model: 'fc/made-up', routing: { model: { fallbacks: [...madeUp, 'z'] } } })
    t.same([status, headers.get('x-gateway-provider'), fc.calls.length], [200, 'fb', asked])
    await under.stop()
  }
})

t.test('a provider whose keys all rest for a rate limit comes after others, whatever the model', async t => {
  let isLimited = true
  const fc = witness(
    'fc',
    () => {
      if (isLimited) throw new ProviderFailure({ kind: 'rate-limit', status: 429, retryAfterMs: 40_000, message: 'no' })
      return hello
    },
    keys(10),
  )
  const fb = witness('fb', () => hello)
  const under = await gateway({
    plugins: [fc.plugin, fb.plugin, listing(model('m', 'fc'), model('n', 'fc'), model('z', 'fb'))],
    settings: { ...silent, maxAttempts: 20 },
    clock: { now: () => 1_000_000, elapsed: () => 1_000_000 },
  })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'm' })).status, 429)
  t.equal(fc.calls.length, 10)
  for (let round = 0; round < 3; round++) {
    const { headers } = await ask(under, { model: 'n', routing: { model: { fallbacks: ['z'] } } })
    t.same([headers.get('x-gateway-provider'), headers.get('x-gateway-attempts')], ['fb', '1'])
  }
  t.equal(fc.calls.length, 10)
  t.equal((await ask(under, { model: 'n' })).status, 429)
  t.equal(fc.calls.length, 11, 'with nobody else, one key is asked')
  isLimited = false
  t.equal((await ask(under, { model: 'n' })).status, 200)
  const { headers } = await ask(under, { model: 'n', routing: { model: { fallbacks: ['z'] } } })
  t.equal(headers.get('x-gateway-provider'), 'fc', 'a key that has answered is in use again')
})
