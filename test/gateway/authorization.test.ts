import t from 'tap'
import { adminRoles, AdminRoutes, type AdminRoute } from '../../core/admin.ts'
import { definePlugin, Routes, type Registry, type Route } from '../../core/index.ts'
import { AlertOutbox, AlertStore } from '../../core/stores.ts'
import alertWebhook from '../../plugins/alerts/webhook/index.ts'
import { adminGateway, type AdminGateway } from '../kit/admin-gateway.ts'
import { hello, saying } from '../kit/gateway.ts'

/** How a route is called in the matrix. */
interface Rule {
  readonly path: string
  readonly body?: object
  /** The object belongs to the organization `acme`. Tokens of `globex` must get the reply for an object that does not exist. */
  readonly absent?: string
}

const account = (list: string): Readonly<Record<string, Rule>> => ({
  [`GET /admin/v1/${list}`]: { path: `/${list}` },
  [`POST /admin/v1/${list}`]: { path: `/${list}`, body: { name: 'x', ...(list !== 'orgs' && { org: 'acme' }) }, absent: `/${list}` },
  [`GET /admin/v1/${list}/:id`]: { path: `/${list}/own`, absent: `/${list}/nobody` },
  [`PATCH /admin/v1/${list}/:id`]: { path: `/${list}/own`, body: { name: 'y' }, absent: `/${list}/nobody` },
  [`DELETE /admin/v1/${list}/:id`]: { path: `/${list}/own`, absent: `/${list}/nobody` },
})

/** Every admin route has a rule: a new route without one fails the test. */
const rules: Readonly<Record<string, Rule>> = {
  ...account('orgs'),
  ...account('teams'),
  ...account('users'),
  'GET /admin/v1/orgs/:id/credits': { path: '/orgs/own/credits', absent: '/orgs/nobody/credits' },
  'POST /admin/v1/orgs/:id/credits': { path: '/orgs/own/credits', body: { amount_usd: 1 } },
  'GET /admin/v1/keys': { path: '/keys' },
  'POST /admin/v1/keys': { path: '/keys', body: { name: 'k', org: 'own' }, absent: '/keys' },
  'GET /admin/v1/keys/:id': { path: '/keys/KEY', absent: '/keys/nobody' },
  'PATCH /admin/v1/keys/:id': { path: '/keys/KEY', body: { name: 'y' }, absent: '/keys/nobody' },
  'DELETE /admin/v1/keys/:id': { path: '/keys/KEY', absent: '/keys/nobody' },
  'POST /admin/v1/keys/:id/rotate': { path: '/keys/KEY/rotate', body: {}, absent: '/keys/nobody/rotate' },
  'GET /admin/v1/keys/:id/policy': { path: '/keys/KEY/policy', absent: '/keys/nobody/policy' },
  'GET /admin/v1/records': { path: '/records' },
  'GET /admin/v1/records/export': { path: '/records/export' },
  'GET /admin/v1/records/:id': { path: '/records/RECORD', absent: '/records/nobody' },
  'GET /admin/v1/usage': { path: '/usage' },
  'GET /admin/v1/alerts': { path: '/alerts' },
  'POST /admin/v1/alerts/:id/acknowledge': { path: '/alerts/ALERT/acknowledge', absent: '/alerts/nobody/acknowledge' },
  'GET /admin/v1/silences': { path: '/silences' },
  'POST /admin/v1/silences': { path: '/silences', body: { kind: 'cap', org: 'acme', until: 'UNTIL' }, absent: '/silences' },
  'DELETE /admin/v1/silences/:id': { path: '/silences/SILENCE', absent: '/silences/nobody' },
  'GET /admin/v1/alert-targets': { path: '/alert-targets' },
  'POST /admin/v1/alert-targets': {
    path: '/alert-targets',
    body: { name: 'x', org: 'acme', url: 'https://hooks.example.com/' },
    absent: '/alert-targets',
  },
  'GET /admin/v1/alert-targets/:id': { path: '/alert-targets/TARGET', absent: '/alert-targets/nobody' },
  'PATCH /admin/v1/alert-targets/:id': { path: '/alert-targets/TARGET', body: { name: 'y' }, absent: '/alert-targets/nobody' },
  'DELETE /admin/v1/alert-targets/:id': { path: '/alert-targets/TARGET', absent: '/alert-targets/nobody' },
  'POST /admin/v1/alert-targets/:id/test': { path: '/alert-targets/TARGET/test', absent: '/alert-targets/nobody/test' },
  'GET /admin/v1/alert-messages': { path: '/alert-messages' },
  'POST /admin/v1/alert-messages/:id/resend': { path: '/alert-messages/MESSAGE/resend', absent: '/alert-messages/nobody/resend' },
  'GET /admin/v1/audit': { path: '/audit' },
  'GET /admin/v1/metrics/endpoints': { path: '/metrics/endpoints' },
  'GET /admin/v1/providers': { path: '/providers' },
  'GET /admin/v1/load': { path: '/load' },
  'GET /admin/v1/models': { path: '/models' },
  'GET /admin/v1/plugins': { path: '/plugins' },
  'GET /admin/v1/config': { path: '/config' },
  'GET /admin/v1/routes': { path: '/routes?model=vendor/m&key=KEY', absent: '/routes?model=vendor/m&key=nobody' },
  'GET /admin/v1/playground': { path: '/playground' },
  'POST /admin/v1/playground/:name': {
    path: '/playground/responses',
    body: { key: 'KEY', request: { model: 'vendor/m', input: 'hi' } },
  },
  'GET /admin/v1/admin-tokens': { path: '/admin-tokens' },
  'POST /admin/v1/admin-tokens': { path: '/admin-tokens', body: { name: 'x', role: 'viewer', org: 'acme' }, absent: '/admin-tokens' },
  'DELETE /admin/v1/admin-tokens/:id': { path: '/admin-tokens/TOKEN', absent: '/admin-tokens/nobody' },
  'GET /admin/openapi.json': { path: '/admin/openapi.json' },
}

/** Routes of the public API that need no key. */
const open = ['GET /v1/responses/health']

async function underTest(): Promise<{
  readonly under: AdminGateway
  readonly admin: readonly AdminRoute[]
  readonly open: readonly Route[]
  readonly alerts: AlertStore
  readonly outbox: AlertOutbox
}> {
  let registries: {
    readonly admin: Registry<AdminRoute>
    readonly open: Registry<Route>
    readonly alerts: AlertStore
    readonly outbox: AlertOutbox
  }
  const tables = definePlugin({
    name: 'route-tables',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { admin: AdminRoutes, open: Routes, alerts: AlertStore, outbox: AlertOutbox },
    setup(_, __, needs) {
      registries = needs
    },
  })({})
  const targets = alertWebhook({ allowPrivateAddresses: true, maxTargetsPerOrganization: 100 })
  const under = await adminGateway({ plugins: [tables, saying('vendor', hello), targets] })
  const { alerts, outbox } = registries!
  return { under, admin: registries!.admin.values(), open: registries!.open.values(), alerts, outbox }
}

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`

t.test('every admin route has a rule', async t => {
  const { under, admin } = await underTest()
  t.teardown(under.stop)
  t.same(admin.map(nameOf).sort(), Object.keys(rules).sort())
})

t.test('every route × role × organization', async t => {
  const { under, admin, alerts, outbox } = await underTest()
  t.teardown(under.stop)
  const { call } = under
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const tokens = new Map<string, string>()
  for (const org of ['acme', 'globex']) await call('POST', '/orgs', { id: org, name: org })
  for (const role of adminRoles)
    for (const org of [undefined, 'acme', 'globex']) tokens.set(`${role} of ${org ?? 'all'}`, await under.token(role, org))
  for (const route of admin) {
    const rule = rules[nameOf(route)]
    if (!rule) continue
    for (const [who, token] of tokens) {
      const [role, , org] = who.split(' ') as [(typeof adminRoles)[number], string, string]
      // Fresh objects for each call, because some calls delete them.
      const own = `own-${Math.random().toString(36).slice(2)}`
      const home = 'acme'
      await call('POST', '/teams', { id: own, name: `secret-${own}`, org: home })
      await call('POST', '/users', { id: own, name: `secret-${own}`, org: home })
      const { id: keyId, key } = (await call('POST', '/keys', { name: 'k', org: home })).body
      const asked = await under.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })
      const recordId = asked.headers.get('x-request-id')!
      if (rule.path.includes('RECORD')) await under.record(recordId)
      const { id: tokenId } = (await call('POST', '/admin-tokens', { name: `secret-${own}`, role: 'viewer', org: home })).body
      const silence = { kind: 'key-unused', org: home, until, note: `secret-${own}` }
      const silenceId = rule.path.includes('SILENCE') ? (await call('POST', '/silences', silence)).body.id : ''
      if (rule.path.includes('/alerts'))
        await alerts.raise({
          alert: {
            id: own,
            at: Date.now(),
            kind: 'cap',
            subject: `key:${own}`,
            org: home,
            severity: 'warning',
            title: `secret-${own}`,
            message: 'A test.',
            facts: {},
            resolves: null,
          },
          channels: [],
        })
      const target = { name: `secret-${own}`, org: home, url: 'http://127.0.0.1:1/' }
      const targetId = rule.path.includes('TARGET') ? (await call('POST', '/alert-targets', target)).body.id : ''
      if (rule.path.includes('MESSAGE'))
        await outbox.add({ id: own, target: 'of-acme', org: home, kind: 'cap', about: home, alert: own }, { most: 100, windowMs: 1 })
      const filled = (text: string): string =>
        text
          .replaceAll('TARGET', targetId)
          .replaceAll('MESSAGE', own)
          .replaceAll('TOKEN', tokenId)
          .replaceAll('KEY', keyId)
          .replaceAll('RECORD', recordId)
          .replaceAll('ALERT', own)
          .replaceAll('SILENCE', silenceId)
          .replaceAll('UNTIL', until)
          .replaceAll('/orgs/own', `/orgs/${home}`)
          .replaceAll('/own', `/${own}`)
          .replaceAll('"own"', `"${home}"`)
      const body = rule.body && JSON.parse(filled(JSON.stringify(rule.body)))
      const { status, body: reply } = await call(route.method, filled(rule.path), body, token)
      const name = `${nameOf(route)} as ${who}: ${JSON.stringify(reply).slice(0, 200)}`
      const isEnough = route.role !== 'none' && adminRoles.indexOf(role) <= adminRoles.indexOf(route.role)
      if (!isEnough || (route.reach === 'all' && org !== 'all')) t.equal(status, 403, name)
      else if (org === 'globex' && rule.absent !== undefined) {
        t.ok(status === 404 || status === 400, name)
        const missing = JSON.parse(JSON.stringify(body ?? null).replaceAll('"acme"', '"nobody"'))
        const absent = await call(route.method, filled(rule.absent), missing ?? undefined, token)
        const plain = (answer: unknown): string =>
          JSON.stringify(answer)
            .replaceAll(/"(?:[^"\\]|\\.)*\\"([^"\\]+)\\"/g, '')
            .replaceAll(/acme|nobody|own-\w+|[0-9a-f]{12}|req_\w+/g, '…')
        t.equal(absent.status, status, name)
        t.equal(plain(reply), plain(absent.body), `${name}: it looks like what does not exist`)
      } else t.not(status, 401, name)
      if (org === 'globex') t.notMatch(JSON.stringify(reply), /secret-/, `${name}: nothing of acme`)
    }
    for (const token of [under.apiKey, 'ta_000000000000_0', 'x'.repeat(40), ''])
      t.equal((await call(route.method, rule.path, rule.body, token)).status, 401, `${nameOf(route)} with ${token.slice(0, 3)}…`)
  }
})

t.test('lists and sums of one organization leave out the others', async t => {
  const { under } = await underTest()
  t.teardown(under.stop)
  const { call } = under
  for (const org of ['acme', 'globex']) {
    await call('POST', '/orgs', { id: org, name: org })
    await call('POST', '/teams', { id: `team-${org}`, name: 'x', org })
    await call('POST', '/users', { id: `user-${org}`, name: 'x', org })
    const { key } = (await call('POST', '/keys', { name: `key-${org}`, org })).body
    await under.request('/v1/responses', { body: { model: 'vendor/m', input: 'hi' }, headers: { authorization: `Bearer ${key}` } })
  }
  await under.recorded(2)
  const viewer = await under.token('viewer', 'acme')
  const paths = ['/orgs', '/teams', '/users', '/keys', '/records', '/records/export', '/usage?group_by=org,key', '/audit']
  for (const path of paths) {
    const { status, body } = await call('GET', path, undefined, viewer)
    t.equal(status, 200, path)
    t.match(JSON.stringify(body), /acme/, path)
    t.notMatch(JSON.stringify(body), /globex/, path)
    if (path === '/orgs') continue
    const foreign = await call('GET', `${path}${path.includes('?') ? '&' : '?'}org=globex`, undefined, viewer)
    t.notMatch(JSON.stringify(foreign.body), /key-|team-|user-|req_/, `${path} of globex`)
  }
})

t.test('the public API needs a key everywhere but for health, and no listener serves the other', async t => {
  const { under, admin, open: routes } = await underTest()
  t.teardown(under.stop)
  const owner = await under.token('owner')
  t.same(routes.filter(({ auth }) => auth === 'none').map(nameOf), open)
  for (const { method, path } of routes) {
    const url = path.replaceAll(/(?:\*\*)?:\w+/g, 'x')
    for (const headers of [{ authorization: '' }, { authorization: `Bearer ${owner}` }]) {
      const { status } = await under.request(url, { method, headers, ...(method === 'POST' && { body: {} }) })
      t.equal(status, open.includes(`${method} ${path}`) ? 200 : 401, `${method} ${path}`)
    }
    t.equal((await under.call(method, `/admin/../${url}`, undefined, owner)).status, 404, `${method} ${url} on the admin listener`)
    const { app } = under.gateway.admin!
    t.equal((await app.h3.request(url, { method, headers: { authorization: `Bearer ${owner}` } })).status, 404)
    t.equal((await app.h3.request(url, { method, headers: { authorization: `Bearer ${under.apiKey}` } })).status, 401)
  }
  for (const { method, path } of admin) {
    const url = path.replaceAll(/:\w+/g, 'x')
    t.equal(
      (await under.request(url, { method, headers: { authorization: `Bearer ${owner}` } })).status,
      404,
      `${method} ${url} on the public listener`,
    )
  }
  const reply = await under.gateway.admin!.app.h3.request('/admin/v1/keys', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'GET' },
  })
  t.equal(reply.headers.get('access-control-allow-origin'), null, 'browsers cannot call it')
})
