import t from 'tap'
import { ProviderFailure, type FailureKind, type Provider } from '../../../core/index.ts'
import { gateway, hello, type GatewayUnderTest } from '../../kit/gateway.ts'
import { ask, text, witness, type Witness } from '../../kit/stage.ts'

const silent = { logLevel: 'silent' } as const
const body = { model: 'acme/m', routing: { provider: { fallbacks: ['globex', 'initech'] } } }

interface Vendor extends Witness {
  /** The failure of each call, if any. */
  failing: ConstructorParameters<typeof ProviderFailure>[0] | undefined
  /** Calls since the last time. */
  asked(): number
}

function vendor(id: string, more: Partial<Provider> = {}): Vendor {
  const made = witness(
    id,
    () => {
      if (self.failing) throw new ProviderFailure(self.failing)
      return hello
    },
    more,
  )
  const self: Vendor = { ...made, failing: undefined, asked: () => made.calls.splice(0).length }
  return self
}

const down = { kind: 'unavailable', message: 'down', transient: false } as const

/** Three vendors on a clock that the test moves. */
async function stage(more: Partial<Provider> = {}) {
  const at = { ms: 1_000_000 }
  const vendors = [vendor('acme', more), vendor('globex'), vendor('initech')] as const
  const under = await gateway({
    plugins: vendors.map(({ plugin }) => plugin),
    clock: { now: () => at.ms, elapsed: () => at.ms },
    settings: silent,
  })
  return { at, under, vendors, acme: vendors[0], globex: vendors[1], initech: vendors[2], asked: () => vendors.map(each => each.asked()) }
}

async function ok(under: GatewayUnderTest, request: object = body): Promise<string> {
  const { status, response } = await ask(under, request)
  return `${status} ${response.model}`
}

t.test('an endpoint with an open circuit is asked last, is probed when its pause is over, and comes back', async t => {
  for (const stream of [true, false]) {
    const { at, under, acme, asked } = await stage()
    acme.failing = down
    for (let count = 0; count < 5; count++) t.equal(await ok(under, { ...body, stream }), '200 globex/m')
    t.same(asked(), [5, 5, 0])
    for (let count = 0; count < 10; count++) await ok(under, { ...body, stream })
    t.same(asked(), [0, 10, 0], 'nobody waits for it')
    at.ms += 5_000
    for (let count = 0; count < 10; count++) await ok(under, { ...body, stream })
    t.same(asked(), [1, 10, 0], 'one request is the probe')
    acme.failing = undefined
    at.ms += 9_999
    t.equal(await ok(under, { ...body, stream }), '200 globex/m', 'the next pause is twice as long')
    at.ms += 1
    asked()
    for (let count = 0; count < 3; count++) t.equal(await ok(under, { ...body, stream }), '200 acme/m')
    t.same(asked(), [3, 0, 0])
    await under.stop()
  }
})

t.test('a request that has nowhere else to go is sent all the same', async t => {
  const { under, vendors, acme, asked } = await stage()
  t.teardown(under.stop)
  for (const each of vendors) each.failing = down
  for (let count = 0; count < 5; count++) t.equal((await ask(under, body)).status, 424)
  t.same(asked(), [5, 5, 5])
  t.equal((await ask(under, body)).status, 424)
  t.same(asked(), [1, 1, 1], 'all circuits are open: all are tried, in order')
  acme.failing = undefined
  t.equal(await ok(under), '200 acme/m')
  acme.failing = down
  t.equal((await ask(under, { model: 'acme/m' })).status, 424)
  t.same(asked(), [2, 0, 0])
  acme.failing = undefined
  t.equal(await ok(under, { model: 'acme/m' }), '200 acme/m')
})

t.test('200 at once while a circuit waits for its probe: one is sent to the endpoint', async t => {
  const { at, under, acme, asked } = await stage()
  t.teardown(under.stop)
  acme.failing = down
  for (let count = 0; count < 5; count++) await ok(under)
  at.ms += 5_000
  asked()
  const replies = await Promise.all(Array.from({ length: 200 }, (_, count) => ok(under, { ...body, stream: count % 2 === 0 })))
  t.same([...new Set(replies)], ['200 globex/m'])
  t.same(asked(), [1, 200, 0])
})

t.test('streams that break off after the first word open the circuit, too', async t => {
  const acme = witness('acme', () => [text('Hel')])
  const under = await gateway({ plugins: [acme.plugin, vendor('globex').plugin, vendor('initech').plugin], settings: silent })
  t.teardown(under.stop)
  for (let count = 0; count < 5; count++) t.equal((await ask(under, { ...body, stream: true })).response.status, 'failed')
  t.equal((await ask(under, { ...body, stream: true })).response.model, 'globex/m')
})

t.test('an endpoint rests while its vendor asks for it, or while every key of it rests', async t => {
  const keys = ['one', 'two'].map(id => ({ id, account: id }))
  for (const [failing, more, restMs] of [
    [{ kind: 'overloaded', retryAfterMs: 30_000 }, {}, 30_000],
    [{ kind: 'rate-limit', retryAfterMs: 7_000 }, {}, 7_000],
    [{ kind: 'rate-limit' }, {}, 20_000],
    [{ kind: 'rate-limit', retryAfterMs: 7_000 }, { credentials: keys.slice(0, 1) }, 7_000],
    [{ kind: 'auth' }, { credentials: keys }, 300_000],
    [{ kind: 'quota', retryAfterMs: 86_400_000 }, {}, 300_000],
  ] as readonly (readonly [{ kind: FailureKind; retryAfterMs?: number }, Partial<Provider>, number])[]) {
    const { at, under, acme, asked } = await stage(more)
    acme.failing = { message: 'not now', ...failing }
    t.equal(await ok(under), '200 globex/m')
    t.same(asked(), [more.credentials?.length ?? 1, 1, 0])
    at.ms += restMs - 1
    acme.failing = undefined
    t.equal(await ok(under), '200 globex/m', `${failing.kind} rests for ${restMs} ms`)
    at.ms += 1
    t.equal(await ok(under), '200 acme/m')
    await under.stop()
  }
})

t.test('one of two keys that is refused does not count against the endpoint', async t => {
  const keys = ['one', 'two'].map(id => ({ id, account: id }))
  let calls = 0
  const acme = witness(
    'acme',
    ({ credentialId }) => {
      calls++
      if (credentialId === 'one') throw new ProviderFailure({ kind: 'auth', message: 'no', status: 401 })
      return hello
    },
    { credentials: keys },
  )
  const under = await gateway({ plugins: [acme.plugin, vendor('globex').plugin, vendor('initech').plugin], settings: silent })
  t.teardown(under.stop)
  for (let count = 0; count < 10; count++) t.equal(await ok(under), '200 acme/m')
  t.equal(calls, 11)
})

t.test('a mistake in the request does not count against the endpoint', async t => {
  for (const kind of ['invalid-request', 'not-found', 'context-length', 'refused'] as const) {
    const { under, acme } = await stage()
    acme.failing = { kind, message: 'no' }
    for (let count = 0; count < 10; count++) await ask(under, body)
    acme.failing = undefined
    t.equal(await ok(under), '200 acme/m', kind)
    await under.stop()
  }
})

t.test('operators see which keys rest, which circuits are open, and who waits, but no secret', async t => {
  const credentials = ['one', 'two'].map(id => ({ id, account: id }))
  const { at, under, acme } = await stage({ credentials, maxConcurrent: 3 })
  t.teardown(under.stop)
  const idle = { running: 0, waiting: 0, maxConcurrent: 3, maxQueued: 100 }
  const rests = (one: number, two: number) => [
    { id: 'one', restsForMs: one },
    { id: 'two', restsForMs: two },
  ]
  const state = (id: string) => under.gateway.providers().find(each => each.id === id)
  await ok(under)
  t.same(state('acme'), { id: 'acme', credentials: rests(0, 0), circuits: [], queue: idle })
  acme.failing = { kind: 'rate-limit', message: 'no', retryAfterMs: 9_000 }
  await ok(under)
  at.ms += 1_000
  const open = [{ model: 'm', state: 'open', openForMs: 8_000 }]
  t.same(state('acme'), { id: 'acme', credentials: rests(8_000, 8_000), circuits: open, queue: idle })
  at.ms += 8_000
  t.match(state('acme'), { credentials: rests(0, 0), circuits: [{ model: 'm', state: 'half-open', openForMs: 0 }] })
  t.same(state('globex'), { id: 'globex', credentials: [], circuits: [] })
})

t.test('the messages of failures that say something about the provider name it', async t => {
  const { under, acme } = await stage()
  t.teardown(under.stop)
  for (const [kind, status, message] of [
    ['rate-limit', 429, 'The provider "acme" limits the rate: slow down'],
    ['timeout', 504, 'The provider "acme" took too long: slow down'],
    ['protocol', 424, 'The provider "acme" failed: slow down'],
    ['refused', 400, 'slow down'],
  ] as const) {
    acme.failing = { kind, message: 'slow down' }
    const answer = await ask(under, { model: 'acme/m' })
    t.same([answer.status, answer.error.message], [status, message])
    t.equal(answer.headers.get('x-gateway-provider'), 'acme')
  }
})
