import t, { type Test } from 'tap'
import dashboard from '../../../plugins/endpoints/dashboard/index.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { identityProvider, type IdentityProvider } from '../../kit/identity-provider.ts'

const publicUrl = 'https://gateway.example.com/turnpike/'
const client = { id: 'turnpike', secret: 'demo-secret-of-the-dashboard', redirectUrl: `${publicUrl}openid-callback` }
const people = {
  ada: { name: 'Ada', groups: ['everybody', 'gateway-owners'] },
  bo: { name: 'Bo', groups: 'acme-admins' },
  cy: { name: 'Cy', groups: ['everybody'] },
  di: { name: 'Di' },
  ed: { name: 'Ed', groups: { 'gateway-owners': true } },
}

type OpenIdOptions = NonNullable<Parameters<typeof dashboard>[0]['openId']>

function options(issuer: string): OpenIdOptions {
  return {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    publicUrl,
    scope: 'openid profile groups',
    claim: 'groups',
    access: [
      { value: 'gateway-owners', role: 'owner' },
      { value: 'acme-admins', role: 'editor', org: 'acme' },
    ],
  }
}

async function underTest(t: Test): Promise<{ readonly under: AdminGateway; readonly provider: IdentityProvider }> {
  const provider = await identityProvider(client, people)
  const under = await adminGateway({ plugins: [dashboard({ openId: options(provider.issuer) })] })
  t.teardown(async () => {
    provider.stop()
    await under.stop()
  })
  return { under, provider }
}

function open({ gateway }: AdminGateway, path: string, cookie = '', method = 'GET', headers: object = {}): Promise<Response> {
  return Promise.resolve(gateway.admin!.app.h3.request(path, { method, headers: { cookie, 'x-forwarded-proto': 'https', ...headers } }))
}

const cookiesOf = (reply: Response): string =>
  reply.headers
    .getSetCookie()
    .map(each => each.split(';')[0]!)
    .filter(each => !each.endsWith('='))
    .join('; ')

/** From the button to the end, as a browser goes. `change` alters the address with which the provider sends it back. */
async function signIn(
  { under, provider }: Awaited<ReturnType<typeof underTest>>,
  person: string,
  change: (address: URL) => void = () => {},
): Promise<Response> {
  const started = await open(under, '/openid')
  const back = new URL(await provider.signIn(started.headers.get('location')!, person))
  change(back)
  return await open(under, `/openid-callback${back.search}`, cookiesOf(started))
}

t.test('people sign in with the role that their claim gives them', async t => {
  const all = await underTest(t)
  const { under } = all
  await under.call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  t.match(await (await open(under, '/session')).json(), { admin: null, openid: { name: /^127\.0\.0\.1:\d+$/ } })
  const started = await open(under, '/openid')
  t.equal(started.status, 302)
  const asked = new URL(started.headers.get('location')!).searchParams
  t.match(Object.fromEntries(asked), {
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: client.redirectUrl,
    state: /./,
    nonce: /./,
  })
  t.match(started.headers.get('set-cookie'), /; HttpOnly; SameSite=Lax; Secure$/)

  const ada = await signIn(all, 'ada')
  t.equal(ada.headers.get('location'), './')
  t.match(ada.headers.getSetCookie().at(-1), /; HttpOnly; SameSite=Strict; Secure$/)
  const session = await (await open(under, '/session', cookiesOf(ada))).json()
  t.match(session, { admin: { id: 'openid:ada', name: 'Ada', role: 'owner', org: null } })
  t.equal((await open(under, '/admin/v1/config', cookiesOf(ada))).status, 200)

  const bo = cookiesOf(await signIn(all, 'bo'))
  t.match(await (await open(under, '/session', bo)).json(), { admin: { role: 'editor', org: 'acme' } })
  t.equal((await open(under, '/admin/v1/config', bo)).status, 403)
  const { data } = (await under.call('GET', '/audit?actor=openid:ada')).body
  t.match(data, [{ action: 'sessions.create', changes: { name: { to: 'Ada' } } }])
})

t.test('nobody gets in without a rule for them', async t => {
  const all = await underTest(t)
  for (const person of ['cy', 'di', 'ed']) {
    const reply = await signIn(all, person)
    t.equal(reply.headers.get('location'), './?refused=no-access', person)
    t.equal(cookiesOf(reply), '', person)
  }
  t.equal((await signIn(all, 'nobody')).headers.get('location'), './?refused=refused')
})

t.test('an answer that was not asked for is refused', async t => {
  const all = await underTest(t)
  const { under, provider } = all
  const refusal = async (reply: Promise<Response>): Promise<string | null> => (await reply).headers.get('location')
  t.equal(await refusal(signIn(all, 'ada', ({ searchParams }) => searchParams.set('state', 'x'))), './?refused=provider', 'another state')
  t.equal(await refusal(signIn(all, 'ada', ({ searchParams }) => searchParams.set('code', 'x'))), './?refused=provider', 'another code')
  t.equal(await refusal(signIn(all, 'ada', ({ searchParams }) => searchParams.delete('code'))), './?refused=provider', 'no code')
  t.equal(await refusal(open(under, '/openid-callback?code=x&state=y')), './?refused=expired', 'another browser')
  const [mine, theirs] = [await open(under, '/openid'), await open(under, '/openid')]
  const back = new URL(await provider.signIn(theirs.headers.get('location')!, 'ada'))
  t.equal(await refusal(open(under, `/openid-callback${back.search}`, cookiesOf(mine))), './?refused=provider', 'the flow of somebody else')
  const done = await open(under, `/openid-callback${back.search}`, cookiesOf(theirs))
  t.equal(done.headers.get('location'), './')
  t.equal(await refusal(open(under, `/openid-callback${back.search}`, cookiesOf(theirs))), './?refused=provider', 'a code works once')
})

t.test('an id token that another key signed is refused', async t => {
  const all = await underTest(t)
  all.provider.publishAnotherKey()
  const reply = await signIn(all, 'ada')
  t.equal(reply.headers.get('location'), './?refused=provider')
  t.match(all.under.logs.join(), /a sign-in with OpenID Connect failed/)
})

t.test('the config of now decides what a session may do', async t => {
  const all = await underTest(t)
  const cookie = cookiesOf(await signIn(all, 'ada'))
  const access: OpenIdOptions['access'] = [{ value: 'everybody', role: 'viewer' }]
  const changed = await adminGateway({ plugins: [dashboard({ openId: { ...options(all.provider.issuer), access } })] })
  const without = await adminGateway({ plugins: [dashboard({})] })
  t.teardown(changed.stop)
  t.teardown(without.stop)
  t.match(await (await open(changed, '/session', cookie)).json(), { admin: { role: 'viewer' } })
  t.match(await (await open(without, '/session', cookie)).json(), { admin: null, openid: null })
  t.equal((await open(without, '/openid')).headers.get('location'), './')
})

t.test('a provider that cannot be reached is said, and tried again', async t => {
  const { provider, under } = await underTest(t)
  provider.stop()
  t.equal((await open(under, '/openid')).headers.get('location'), './?refused=provider')
  t.match(under.logs.join(), /cannot reach the identity provider/)
})

t.test('options that cannot work are refused', async t => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ issuer: 'http://login.example.com' }, /issuer/],
    [{ publicUrl: 'https://gateway.example.com/turnpike' }, /publicUrl/],
    [{ scope: 'profile' }, /scope/],
    [{ access: [] }, /access/],
    [{ access: [{ value: 'x', role: 'root' }] }, /role/],
  ]
  for (const [change, message] of wrong)
    await t.rejects(adminGateway({ plugins: [dashboard({ openId: { ...options('https://login.example.com'), ...change } })] }), { message })
})
