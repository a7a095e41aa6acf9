import t, { type Test } from 'tap'
import { ProviderFailure, type FailureKind } from '../../../core/index.ts'
import type { ProviderFailureOptions } from '../../../core/kit.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { SharedState, SignOuts } from '../../../core/stores.ts'
import admin from '../../../plugins/endpoints/admin/index.ts'
import dashboard from '../../../plugins/endpoints/dashboard/index.ts'
import { gateway, hello, type GatewayUnderTest } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { SharingGroup } from '../../kit/sharing-group.ts'
import { ask, listing, providing, witness } from '../../kit/stage.ts'
import { throwing } from '../../kit/thenables.ts'

const adminToken = 'demo-admin-token-of-both'

interface Place {
  readonly under: GatewayUnderTest
  /** How `acme` fails at this gateway. */
  readonly vendor: { failure?: ProviderFailureOptions | undefined }
  /** The providers that this request was sent to. */
  tried(body?: object): Promise<readonly string[]>
  state(id: string): object | undefined
}

/** A gateway with the providers `acme` and `globex`, and the dashboard. */
async function place(t: Test, clock: FakeClock, state?: SharedState, ...more: readonly PluginUse[]): Promise<Place> {
  const vendor: Place['vendor'] = {}
  const calls: string[] = []
  const credentials = [{ id: 'one', account: 'one' }]
  const acme = witness(
    'acme',
    () => {
      calls.push('acme')
      if (vendor.failure) throw new ProviderFailure(vendor.failure)
      return hello
    },
    { credentials },
  )
  const globex = witness('globex', () => {
    calls.push('globex')
    return hello
  })
  const under = await gateway({
    clock,
    adminToken,
    settings: { logLevel: 'warn', retries: 0 },
    plugins: [
      acme.plugin,
      globex.plugin,
      listing({ model: 'm', endpoints: [{ provider: 'acme' }, { provider: 'globex' }] }),
      admin({}),
      dashboard({}),
      ...(state ? [providing(SharedState, state)] : []),
      ...more,
    ],
  })
  t.teardown(under.stop)
  return {
    under,
    vendor,
    async tried(body) {
      calls.length = 0
      t.equal((await ask(under, { model: 'm', ...body })).status, 200)
      return [...calls]
    },
    state: name => under.gateway.providers().find(({ id }) => id === name),
  }
}

interface Places {
  readonly one: Place
  readonly two: Place
  readonly three: Place
  readonly group: SharingGroup
  readonly clock: FakeClock
}

async function places(t: Test): Promise<Places> {
  const clock = new FakeClock()
  const group = new SharingGroup(clock)
  const [one, two, three] = [await place(t, clock, group.join()), await place(t, clock, group.join()), await place(t, clock, group.join())]
  return { one, two, three, group, clock }
}

function failure(kind: FailureKind, more: Partial<ProviderFailureOptions> = {}): ProviderFailureOptions {
  return { kind, message: 'the vendor said so', ...more }
}

t.test('a credential that rests at one gateway rests at the others', async t => {
  for (const [kind, restsForMs] of [
    ['rate-limit', 20_000],
    ['auth', 300_000],
  ] as const) {
    const { one, two, three, clock } = await places(t)
    one.vendor.failure = failure(kind)
    t.same(await one.tried(), ['acme', 'globex'])
    for (const other of [two, three]) {
      t.match(other.state('acme'), { credentials: [{ id: 'one', restsForMs }] })
      t.same(await other.tried(), ['globex'], `${kind}: ${other.under.logs.join('')}`)
    }
    clock.pass(restsForMs)
    t.match(two.state('acme'), { credentials: [{ id: 'one', restsForMs: 0 }] })
  }
})

t.test('a credential that answers at one gateway no longer rests at the others', async t => {
  const { one, two, three } = await places(t)
  one.vendor.failure = failure('rate-limit')
  await one.tried()
  t.same(await two.tried({ model: 'acme/m' }), ['acme'], 'asked, because there is no other')
  for (const other of [one, three]) t.match(other.state('acme'), { credentials: [{ restsForMs: 0 }] })
})

t.test('a circuit that opens and closes at one gateway does so at the others', async t => {
  const { one, two, three, clock } = await places(t)
  one.vendor.failure = failure('timeout')
  for (let count = 0; count < 5; count++) t.same(await one.tried(), ['acme', 'globex'])
  t.match(one.state('acme'), { circuits: [{ model: 'm', state: 'open', openForMs: 5_000 }] })
  for (const other of [two, three]) {
    t.match(other.state('acme'), { circuits: [{ model: 'm', state: 'open', openForMs: 5_000 }] })
    t.same(await other.tried(), ['globex'])
  }
  t.match(two.under.logs.join(''), /a circuit opened at another gateway/)
  clock.pass(5_000)
  t.match(two.state('acme'), { circuits: [{ state: 'half-open' }] })
  t.same(await two.tried(), ['acme'], 'its own probe')
  t.match(one.state('acme'), { circuits: [{ state: 'closed' }] })
  t.match(three.state('acme'), { circuits: [] })
  one.vendor.failure = undefined
  t.same(await one.tried(), ['acme'])
})

t.test('so does the circuit of a provider', async t => {
  const { one, two, three } = await places(t)
  one.vendor.failure = failure('network')
  for (let count = 0; count < 5; count++) await one.tried()
  const open = {
    circuits: [
      { model: 'm', state: 'open' },
      { model: '*', state: 'open' },
    ],
  }
  for (const each of [one, two, three]) t.match(each.state('acme'), open)
})

t.test('a name that a caller made up reaches neither other gateways nor the log', async t => {
  const { one, two } = await places(t)
  for (const kind of ['timeout', 'rate-limit'] as const) {
    one.vendor.failure = failure(kind)
    for (let count = 0; count < 6; count++) await ask(one.under, { model: `acme/made-up-${kind}` })
  }
  t.match(JSON.stringify(one.state('acme')), /made-up-timeout/, 'the gateway itself goes by it')
  t.notMatch(JSON.stringify(two.state('acme')), /made-up/)
  for (const { under } of [one, two]) t.notMatch(under.logs.join(''), /made-up/)
  t.match(one.under.logs.join(''), /a circuit opened/)
})

t.test('a cache that is warm for one gateway is warm for the others', async t => {
  for (const body of [{ prompt_cache_key: 'a demo thread' }, { user: 'ada@example.com' }]) {
    const { one, two, three, group } = await places(t)
    one.vendor.failure = failure('unavailable')
    t.same(await one.tried(body), ['acme', 'globex'])
    for (const other of [two, three]) t.same(await other.tried(body), ['globex'])
    t.same(await two.tried(), ['acme'], 'only with this key')
    t.notMatch(group.sent.join('\n'), /thread|ada@/)
  }
})

t.test('a session that ended at one gateway has ended at the others', async t => {
  const { one, two, three, group } = await places(t)
  const session = await signIn(one)
  t.same(await keys(session, one, two, three), [200, 200, 200])
  t.equal((await signOut(session, two)).status, 200)
  t.same(await keys(session, one, two, three), [401, 401, 401])
  const text = group.sent.join('\n')
  for (const secret of [session.antiForgery, session.cookie.split('=')[1]!, adminToken]) t.notOk(text.includes(secret))
})

t.test('and so it has within a second if they share only the store, and after a restart', async t => {
  const clock = new FakeClock()
  const stored: string[] = []
  let isDown = false
  const answer = <A>(value: A): Promise<A> => (isDown ? Promise.reject(new Error('the network is down')) : Promise.resolve(value))
  const signOuts = {
    add: (id: string) => answer(id).then(known => void stored.push(known)),
    has: (id: string) => answer(stored.includes(id)),
  }
  const start = (): Promise<Place> => place(t, clock, undefined, providing(SignOuts, signOuts))
  const [one, two, three] = [await start(), await start(), await start()]
  const session = await signIn(one)
  t.same(await keys(session, one, two, three), [200, 200, 200])
  isDown = true
  t.equal((await signOut(session, two)).status, 503, 'it did not sign out')
  t.same(await keys(session, one, two), [200, 200], 'they know it as open for a second')
  clock.pass(1_000)
  t.same(await keys(session, one, two), [503, 503], 'and then let nobody in whom they cannot check')
  isDown = false
  t.same(await keys(session, one), [200])
  t.equal((await signOut(session, two)).status, 200)
  t.same(await keys(session, two), [401], 'at once where it was')
  clock.pass(1_000)
  t.same(await keys(session, one, two, three, await start()), [401, 401, 401, 401])
  for (const secret of [session.antiForgery, session.cookie.split('=')[1]!]) t.notOk(stored.join('\n').includes(secret))
})

t.test('wrong tokens count at all gateways together', async t => {
  const { one, two, three } = await places(t)
  const wrong = async (at: Place) => (await send(at, 'POST', '/session', {}, { token: 'ta_demo_wrong' })).status
  for (let count = 0; count < 10; count++) t.equal(await wrong([one, two, three][count % 3]!), 401)
  for (const at of [one, two, three]) t.equal(await wrong(at), 429)
  t.equal((await send(two, 'POST', '/session', {}, { token: adminToken })).status, 201, 'a valid token works')
})

t.test('a gateway that starts late knows what rests', async t => {
  const { one, group, clock } = await places(t)
  one.vendor.failure = failure('rate-limit')
  await one.tried()
  clock.pass(5_000)
  const late = await place(t, clock, group.join())
  t.match(late.state('acme'), { credentials: [{ restsForMs: 15_000 }] })
  t.same(await late.tried(), ['globex'])
})

t.test('gateways without the service know only what they learned themselves', async t => {
  const clock = new FakeClock()
  const [one, two] = [await place(t, clock), await place(t, clock)]
  one.vendor.failure = failure('rate-limit')
  await one.tried()
  t.match(two.state('acme'), { credentials: [{ restsForMs: 0 }] })
})

for (const [how, fail] of [
  ['throws', thrown],
  ['rejects', () => Promise.reject(new Error('the network is down'))],
  ['returns a promise of another kind that throws', () => throwing<void>(new Error('the network is down'))],
] as const)
  t.test(`no request fails if the service ${how}`, async t => {
    const at = await place(t, new FakeClock(), { publish: fail, subscribe: fail })
    at.vendor.failure = failure('auth')
    t.same(await at.tried({ prompt_cache_key: 'thread' }), ['acme', 'globex'])
    t.same(await at.tried({ prompt_cache_key: 'thread' }), ['globex'])
    t.match(at.state('acme'), { credentials: [{ restsForMs: 300_000 }] })
    t.equal(at.under.logs.filter(line => line.includes('could not exchange what they learned')).length, 1)
  })

function thrown(): never {
  throw new Error('the network is down')
}

interface Session {
  readonly cookie: string
  readonly antiForgery: string
}

async function signIn(at: Place): Promise<Session> {
  const sent = await send(at, 'POST', '/session', {}, { token: adminToken })
  const cookie = sent.headers.get('set-cookie')!.split(';')[0]!
  const { anti_forgery: antiForgery } = (await (await send(at, 'GET', '/session', { cookie })).json()) as { anti_forgery: string }
  return { cookie, antiForgery }
}

function signOut({ cookie, antiForgery }: Session, at: Place): Promise<Response> {
  return send(at, 'DELETE', '/session', { cookie, 'x-anti-forgery': antiForgery })
}

/** The statuses that gateways answer to somebody with the session. */
async function keys({ cookie }: Session, ...all: readonly Place[]): Promise<readonly number[]> {
  const statuses: number[] = []
  for (const at of all) statuses.push((await send(at, 'GET', '/admin/v1/keys', { cookie })).status)
  return statuses
}

function send({ under }: Place, method: string, path: string, headers: Record<string, string>, body?: object): Promise<Response> {
  const init = { method, headers: { ...headers, ...(body && { 'content-type': 'application/json' }) } }
  return Promise.resolve(under.gateway.admin!.app.h3.request(path, body ? { ...init, body: JSON.stringify(body) } : init))
}
