import t from 'tap'
import { ProviderFailure, type GenerationEvent, type Provider, type RequestRecord } from '../../../core/index.ts'
import { adminGateway } from '../../kit/admin-gateway.ts'
import { gateway, hello, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { ask, listing, witness } from '../../kit/stage.ts'

const silent = { logLevel: 'silent' } as const
const globex = { routing: { provider: { fallbacks: ['globex'] } } }

/** The endpoints in the record of a request: why each was passed over, or null if it was asked or would have been next. */
async function routingOf(under: GatewayUnderTest, requestId: string) {
  const { routing } = (await under.record(requestId)) as RequestRecord
  const candidates = routing!.candidates.map(({ provider, passedOver }) => [provider, passedOver])
  return { candidates: Object.fromEntries(candidates), passedOver: routing!.passedOver }
}

function endpointsAt(...providers: readonly string[]) {
  return listing({ model: 'm', endpoints: providers.map(provider => ({ provider })) })
}

/** A provider whose answers wait until the test lets them go. */
function held(id: string, more: Partial<Provider>) {
  const calls: (() => void)[] = []
  let called = Promise.withResolvers<void>()
  const plugin = scripted(
    id,
    async function* () {
      await new Promise<void>(resolve => {
        calls.push(resolve)
        called.resolve()
        called = Promise.withResolvers()
      })
      yield* hello
    },
    more,
  )
  return {
    plugin,
    async called() {
      if (calls.length === 0) await called.promise
    },
    release: () => calls.shift()!(),
  }
}

t.test('an endpoint whose circuit is open is passed over as soon as another one answers', async t => {
  let isDown = true
  const acme = witness('acme', () => {
    if (isDown) throw new ProviderFailure({ kind: 'rate-limit', status: 429, retryAfterMs: 60_000, message: 'slow down' })
    return hello
  })
  const under = await gateway({
    plugins: [acme.plugin, witness('globex', () => hello).plugin, endpointsAt('acme', 'globex')],
    settings: silent,
  })
  t.teardown(under.stop)
  const first = await ask(under, { model: 'm' })
  t.same(await routingOf(under, first.requestId), { candidates: { acme: null, globex: null }, passedOver: {} }, 'it was asked, and failed')
  isDown = false
  for (const body of [{ model: 'm' }, { model: 'acme/m', ...globex }, { model: 'm', stream: true }, { model: 'm', ...globex }]) {
    const { requestId, headers } = await ask(under, body)
    t.equal(headers.get('x-gateway-provider'), 'globex')
    t.same(await routingOf(under, requestId), { candidates: { acme: 'circuit', globex: null }, passedOver: { circuit: 1 } })
  }
  t.equal(acme.calls.length, 1)
})

t.test('an endpoint whose circuit is open and that is asked all the same is not passed over', async t => {
  const failing = (id: string) =>
    witness(id, () => {
      throw new ProviderFailure({ kind: 'rate-limit', status: 429, retryAfterMs: 60_000, message: 'slow down' })
    })
  const under = await gateway({ plugins: [failing('acme').plugin, failing('globex').plugin], settings: silent })
  t.teardown(under.stop)
  for (const attempts of [2, 2]) {
    const { requestId, status } = await ask(under, { model: 'acme/m', ...globex })
    t.equal(status, 429)
    t.same(await routingOf(under, requestId), { candidates: { acme: null, globex: null }, passedOver: {} })
    t.equal((await under.record(requestId)).attempts.length, attempts)
  }
})

t.test('a full queue', async t => {
  const acme = held('acme', { maxConcurrent: 1, maxQueued: 0 })
  const under = await gateway({ plugins: [acme.plugin, witness('globex', () => hello).plugin], settings: silent })
  t.teardown(under.stop)
  const body = { model: 'acme/m', ...globex }
  const first = ask(under, body)
  await acme.called()
  for (const stream of [false, true]) {
    const { requestId, headers } = await ask(under, { ...body, stream })
    t.equal(headers.get('x-gateway-provider'), 'globex')
    t.same(await routingOf(under, requestId), { candidates: { acme: 'queue', globex: null }, passedOver: { queue: 1 } })
  }
  acme.release()
  t.same(await routingOf(under, (await first).requestId), { candidates: { acme: null, globex: null }, passedOver: {} })
})

t.test('a hedge does not wait in a queue', async t => {
  const acme = held('acme', { hedgeAfter: 10 })
  const globex = held('globex', { maxConcurrent: 1 })
  const under = await gateway({ plugins: [acme.plugin, globex.plugin], settings: silent })
  t.teardown(under.stop)
  const other = ask(under, { model: 'globex/m' })
  await globex.called()
  const hedged = ask(under, { model: 'acme/m', routing: { provider: { fallbacks: ['globex'] } } })
  await acme.called()
  // Time-outs of tests are over at once: the hedge has found no place.
  await new Promise(resolve => setImmediate(resolve))
  acme.release()
  const { requestId } = await hedged
  const { candidates } = await routingOf(under, requestId)
  t.equal(candidates['acme'], null)
  t.match(candidates['globex'], /^queue$/)
  globex.release()
  await other
})

t.test('what the credit does not cover', async t => {
  const usage: GenerationEvent = {
    type: 'usage',
    usage: { uncachedInput: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1, reasoning: 0 },
  }
  const answer = (): readonly GenerationEvent[] => [...hello.slice(0, -1), usage, hello.at(-1)!]
  const under = await gateway({
    plugins: [
      witness('acme', answer).plugin,
      witness('globex', answer).plugin,
      listing({
        model: 'm',
        endpoints: [
          { provider: 'acme', price: { input: 1e6, output: 1e6, request: 50 }, maxOutputTokens: 100 },
          { provider: 'globex', price: { input: 0.1, output: 0.1 }, maxOutputTokens: 100 },
        ],
      }),
    ],
    settings: silent,
    key: { name: 'k', spendCapUsd: 1, policy: {} },
  })
  t.teardown(under.stop)
  const { requestId, status } = await ask(under, { model: 'm' })
  t.equal(status, 200)
  t.same(await routingOf(under, requestId), { candidates: { acme: 'credit', globex: null }, passedOver: { credit: 1 } })
})

t.test('attempts that ran out before the list did', async t => {
  const down = (id: string) =>
    witness(
      id,
      () => {
        throw new ProviderFailure({ kind: 'auth', status: 401, message: 'no' })
      },
      { credentials: [1, 2, 3].map(each => ({ id: `${id}-${each}`, account: `${id}-${each}` })) },
    )
  const under = await gateway({
    plugins: [down('acme').plugin, down('globex').plugin, down('initech').plugin, endpointsAt('acme', 'globex', 'initech')],
    settings: { ...silent, maxAttempts: 4 },
  })
  t.teardown(under.stop)
  const { requestId, status } = await ask(under, { model: 'm' })
  t.equal(status, 424)
  t.same(await routingOf(under, requestId), {
    candidates: { acme: null, globex: null, initech: 'attempt-limit' },
    passedOver: { 'attempt-limit': 1 },
  })
})

t.test('the admin API shows the reasons, and counts them', async t => {
  const resting = witness('acme', () => {
    throw new ProviderFailure({ kind: 'rate-limit', status: 429, retryAfterMs: 60_000, message: 'slow down' })
  })
  const under = await adminGateway({ plugins: [resting.plugin, witness('globex', () => hello).plugin, endpointsAt('acme', 'globex')] })
  t.teardown(under.stop)
  await ask(under, { model: 'm' })
  const { requestId } = await ask(under, { model: 'm' })
  await under.record(requestId)
  t.match((await under.call('GET', `/records/${requestId}`)).body.routing, {
    candidates: [
      { provider: 'acme', passed_over: 'circuit' },
      { provider: 'globex', passed_over: null },
    ],
    passed_over: { circuit: 1 },
  })
})
