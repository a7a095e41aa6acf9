import t, { type Test } from 'tap'
import { AdminRoutes, type AdminServices } from '../../../core/admin.ts'
import { definePlugin } from '../../../core/index.ts'
import { AdminTokenStore, type AdminToken } from '../../../core/stores.ts'
import { adminGateway, type AdminGateway, type Answer } from '../../kit/admin-gateway.ts'

// A store of admin tokens is a plugin, so its rows are checked before they grant rights.

interface Stage extends AdminGateway {
  /** With a token of a viewer of `acme`, as the store returns it. */
  ask(method: string, path: string, body?: object): Promise<Answer>
  readonly tokens: Map<string, AdminToken>
}

/** `returned`: what the store returns from `find` for a token that exists. */
async function stage(t: Test, returned: (token: AdminToken) => unknown): Promise<Stage> {
  const tokens = new Map<string, AdminToken>()
  const store = definePlugin({
    name: 'acme-tokens',
    options: { type: 'object', additionalProperties: false, properties: {} },
    provides: [AdminTokenStore],
    setup: registrar =>
      registrar.provide(AdminTokenStore, {
        find: id => {
          const token = tokens.get(id)
          return token && (returned(token) as AdminToken)
        },
        add: token => void tokens.set(token.id, token),
        remove: id => tokens.delete(id),
        list: () => [...tokens.values()].map(token => returned(token) as AdminToken),
      }),
  })
  const under = await adminGateway({ plugins: [store({})] })
  t.teardown(under.stop)
  for (const org of ['acme', 'globex']) await under.call('POST', '/orgs', { id: org, name: org })
  const text = await under.token('viewer', 'acme')
  return { ...under, tokens, ask: (method, path, body) => under.call(method, path, body, text) }
}

const malformed: readonly (readonly [object, RegExp])[] = [
  [{ role: 'Viewer' }, /with a bad `role`: expected "owner", "editor" or "viewer", got another string/],
  [{ role: 'admin' }, /`role`: .* got another string/],
  [{ role: undefined }, /`role`: .* got undefined/],
  [{ role: null }, /`role`: .* got null/],
  [{ role: ['viewer'] }, /`role`: .* got an array/],
  [{ org: null }, /with a bad `org`: expected a non-empty string, or undefined for all organizations, got null/],
  [{ org: '' }, /`org`: .* got an empty string/],
  [{ org: { id: 'acme' } }, /`org`: .* got an object/],
  [{ id: undefined }, /with a bad `id`/],
  [{ hash: undefined }, /with a bad `hash`/],
]

t.test('a stored token that is malformed is refused, and the log says what is wrong', async t => {
  let change: object = {}
  const { ask, logs } = await stage(t, token => ({ ...token, ...change }))
  t.equal((await ask('GET', '/orgs')).status, 200)
  for (const [each, reason] of malformed) {
    change = each
    const from = logs.length
    for (const [method, path, body] of [
      ['GET', '/orgs'],
      ['GET', '/config'],
      ['POST', '/admin-tokens', { name: 'x', role: 'owner' }],
    ] as const)
      t.match(await ask(method, path, body), { status: 503, body: { error: { message: /store of admin tokens is not available/ } } })
    t.match(JSON.parse(logs[from]!), { level: 'error', message: 'the store of admin tokens failed', plugin: 'acme-tokens', reason })
    t.match(logs[from], /plugin acme-tokens returned an admin token from find/)
    t.notMatch(logs.slice(from).join('\n'), /"Viewer"|globex/)
  }
})

t.test('a value that is no token is refused', async t => {
  let returned: unknown
  const { ask, logs } = await stage(t, () => returned)
  for (const value of [true, 'owner', 5, [{ role: 'owner' }], {}]) {
    returned = value
    t.equal((await ask('GET', '/orgs')).status, 503)
    t.match(JSON.parse(logs.findLast(line => line.includes('the store of'))!), { plugin: 'acme-tokens', reason: /from find/ })
  }
  for (const value of [undefined, null, Promise.resolve(null)]) {
    returned = value
    t.equal((await ask('GET', '/orgs')).status, 401)
  }
  returned = Promise.reject(new Error('x'))
  t.equal((await ask('GET', '/orgs')).status, 503)
  t.match(JSON.parse(logs.findLast(line => line.includes('the store of'))!), { plugin: 'acme-tokens', error: 'Error' })
})

t.test('each member of a token is read once', async t => {
  let reads = 0
  const { ask } = await stage(t, token => ({
    ...token,
    columns: 'more of them do not matter',
    get org() {
      return reads++ === 0 ? 'acme' : undefined
    },
  }))
  reads = 0
  const { body } = await ask('GET', '/orgs')
  t.same(
    body.data.map(({ id }: any) => id),
    ['acme'],
  )
  t.equal(reads, 1)
})

t.test('tokens that nobody can use are listed for owners of all organizations, and can be deleted', async t => {
  let change: object = {}
  const { call, token, tokens } = await stage(t, token => ({ ...token, ...change }))
  const owner = await token('owner', 'acme')
  change = { org: null }
  t.equal((await call('GET', '/admin-tokens')).body.data.length, 2)
  t.equal((await call('GET', '/admin-tokens', undefined, owner)).status, 503)
  const [id] = tokens.keys()
  t.equal((await call('DELETE', `/admin-tokens/${id}`)).status, 200)
})

t.test('no token is created with an unknown role or a malformed organization', async t => {
  let services: AdminServices
  const route = definePlugin({
    name: 'acme-invitations',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup: registrar =>
      registrar.add(AdminRoutes, {
        method: 'POST',
        path: '/admin/v1/invitations',
        role: 'owner',
        reach: 'all',
        async handle(exchange, gateway) {
          services = gateway
          await gateway.issueToken((await exchange.json()) as never)
          return { status: 201 }
        },
      }),
  })
  const under = await adminGateway({ plugins: [route({})] })
  t.teardown(under.stop)
  const { call, gateway } = under
  for (const [body, message] of [
    [{ name: 'x', role: 'Owner' }, /bad `role`/],
    [{ name: 'x' }, /bad `role`/],
    [{ name: 'x', role: ['viewer'] }, /bad `role`/],
    [{ name: 'x', role: 'viewer', org: null }, /bad `org`/],
    [{ name: 'x', role: 'viewer', org: '' }, /bad `org`/],
  ] as const) {
    t.match(await call('POST', '/invitations', body), { status: 400, body: { error: { message } } })
    await t.rejects(gateway.admin!.issueToken(body as never), { message })
  }
  t.equal((await call('GET', '/admin-tokens')).body.data.length, 0)
  t.equal((await call('POST', '/invitations', { name: 'x', role: 'viewer' })).status, 201)
  t.ok(services!)
})
