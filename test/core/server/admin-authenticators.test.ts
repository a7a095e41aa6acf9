import t, { type Test } from 'tap'
import { AdminAuthenticators, adminRoles, hasRole, type Admin, type AdminAuthenticator } from '../../../core/admin.ts'
import { definePlugin, GatewayError, PluginError } from '../../../core/index.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { later, throwing, twice, unreadable } from '../../kit/thenables.ts'

// A plugin says who calls the admin API. What it says is checked, because plain JavaScript has no compiler.

const schema = { type: 'object', additionalProperties: false, properties: {} } as const

interface Stage extends AdminGateway {
  /** Asks as the person that the authenticator names. */
  ask(method: string, path: string, body?: object): Promise<Response>
}

async function signedInBy(t: Test, admit: (request: Request) => unknown): Promise<Stage> {
  const signIn = definePlugin({
    name: 'acme-sign-in',
    options: schema,
    setup: registrar => registrar.add(AdminAuthenticators, { name: 'by-header', admit: admit as AdminAuthenticator['admit'] }),
  })
  const under = await adminGateway({ plugins: [signIn({})] })
  t.teardown(under.stop)
  for (const org of ['acme', 'globex']) await under.call('POST', '/orgs', { id: org, name: org })
  const ask = (method: string, path: string, body?: object): Promise<Response> =>
    Promise.resolve(
      under.gateway.admin!.app.h3.request(`/admin/v1${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    )
  return { ...under, ask }
}

/** The lines that name an authenticator. */
function failures(logs: readonly string[]): readonly any[] {
  return logs.map(line => JSON.parse(line)).filter(({ authenticator }) => authenticator !== undefined)
}

class Row {
  readonly id = 'ada'
  readonly role = 'viewer'
  get org(): string {
    return 'acme'
  }
}

/** A malformed answer, and the message about it in the log. */
const malformed: readonly (readonly [unknown, RegExp])[] = [
  [true, /admit: expected an object, got a boolean/],
  ['viewer', /admit: expected an object, got a string/],
  [5, /admit: expected an object, got a number/],
  [[{ id: 'ada', role: 'viewer' }], /admit: expected an object, got an array/],
  [() => ({ id: 'ada', role: 'viewer' }), /admit: expected an object, got a function/],
  [{}, /with a bad `id`: expected a non-empty string, got undefined/],
  [{ id: '', role: 'viewer' }, /with a bad `id`: expected a non-empty string, got an empty string/],
  [{ id: 5, role: 'viewer' }, /with a bad `id`: expected a non-empty string, got a number/],
  [{ id: 'ada' }, /with a bad `role`: expected "owner", "editor" or "viewer", got undefined/],
  [{ id: 'ada', role: null }, /with a bad `role`: .* got null/],
  [{ id: 'ada', role: 'Viewer' }, /with a bad `role`: .* got another string/],
  [{ id: 'ada', role: 'admin' }, /with a bad `role`: .* got another string/],
  [{ id: 'ada', role: 'none' }, /with a bad `role`: .* got another string/],
  [{ id: 'ada', role: '__proto__' }, /with a bad `role`: .* got another string/],
  [{ id: 'ada', role: 0 }, /with a bad `role`: .* got a number/],
  [{ id: 'ada', role: ['viewer'] }, /with a bad `role`: .* got an array/],
  [{ id: 'ada', role: { toString: () => 'owner' } }, /with a bad `role`: .* got an object/],
  [{ id: 'ada', role: 'viewer', org: null }, /with a bad `org`: expected a non-empty string, or undefined for all organizations, got null/],
  [{ id: 'ada', role: 'viewer', org: '' }, /with a bad `org`: .* got an empty string/],
  [{ id: 'ada', role: 'viewer', org: ['acme'] }, /with a bad `org`: .* got an array/],
  [{ id: 'ada', role: 'viewer', organization: 'acme' }, /with the unknown member "organization": expected id, role and org only/],
]

t.test('an admin that is malformed is refused, and the log says what is wrong', async t => {
  let given: unknown
  const { ask, logs, call } = await signedInBy(t, () => given)
  for (const [value, reason] of malformed) {
    given = value
    const from = logs.length
    const before = failures(logs).length
    for (const [method, path, body] of [
      ['GET', '/orgs'],
      ['GET', '/config'],
      ['GET', '/nothing'],
      ['POST', '/admin-tokens', { name: 'x', role: 'owner' }],
    ] as const) {
      const reply = await ask(method, path, body)
      t.equal(reply.status, 503, `${path} ${String(reason)}`)
      t.match(((await reply.json()) as any).error, { code: 'server_error', message: /could not tell who you are/ })
    }
    const line = failures(logs)[before]
    t.match(line, { level: 'error', plugin: 'acme-sign-in', authenticator: 'by-header', reason })
    t.equal(failures(logs).length - before, 4, 'for each request')
    t.notMatch(logs.slice(from).join('\n'), /"ada"|Viewer|acme"/, 'no values')
  }
  t.equal((await call('GET', '/admin-tokens')).body.data.length, 0, 'nothing was changed')
})

t.test('nobody is known without an admin', async t => {
  let given: unknown
  const { ask } = await signedInBy(t, () => given)
  for (const value of [undefined, null, Promise.resolve(undefined)]) {
    given = value
    t.equal((await ask('GET', '/orgs')).status, 401)
  }
})

t.test('each member is read once, into a copy', async t => {
  const reads = { id: 0, role: 0, org: 0 }
  const once = (member: keyof typeof reads, first: string, later: unknown) => (reads[member]++ === 0 ? first : later)
  const shifty = () => ({
    get id() {
      return once('id', 'ada', 'environment')
    },
    get role() {
      return once('role', 'viewer', 'owner')
    },
    get org() {
      return once('org', 'acme', undefined)
    },
  })
  const { ask } = await signedInBy(t, shifty)
  t.match(await (await ask('GET', '/orgs')).json(), { data: [{ id: 'acme' }], has_more: false })
  t.same(reads, { id: 1, role: 1, org: 1 })
  Object.assign(reads, { id: 0, role: 0, org: 0 })
  t.equal((await ask('POST', '/teams', { id: 't', name: 't', org: 'acme' })).status, 403)
  t.same(reads, { id: 1, role: 1, org: 1 })
})

t.test('inherited members count like own ones', async t => {
  let given: unknown = new Row()
  const { ask } = await signedInBy(t, () => given)
  t.match(await (await ask('GET', '/orgs')).json(), { data: [{ id: 'acme' }], has_more: false })
  given = Object.create({ id: 'ada', role: 'viewer', org: 'acme' })
  t.match(await (await ask('GET', '/orgs')).json(), { data: [{ id: 'acme' }], has_more: false })
})

t.test('a role may do what it should', async t => {
  let given: Admin | undefined
  const { ask } = await signedInBy(t, () => Promise.resolve(given))
  for (const role of adminRoles)
    for (const org of [undefined, 'acme']) {
      given = { id: 'ada', role, org }
      const { data } = (await (await ask('GET', '/orgs')).json()) as { data: { id: string }[] }
      t.same(data.map(({ id }) => id).sort(), org ? ['acme'] : ['acme', 'globex'])
      t.equal((await ask('PATCH', '/orgs/acme', { name: 'Acme' })).status, role === 'viewer' ? 403 : 200)
      t.equal((await ask('GET', '/admin-tokens')).status, role === 'owner' ? 200 : 403)
      t.equal((await ask('GET', '/config')).status, org ? 403 : 200)
    }
})

t.test('an authenticator that fails is named in the log', async t => {
  let fail: () => unknown
  const { ask, logs } = await signedInBy(t, () => fail())
  const secret = 'x-user: ada@example.com'
  for (const failing of [
    () => {
      throw new TypeError(secret)
    },
    () => Promise.reject(new TypeError(secret)),
  ]) {
    fail = failing
    const from = logs.length
    const reply = await ask('GET', '/orgs')
    t.equal(reply.status, 503)
    t.notMatch(await reply.text(), /ada@/)
    t.match(failures(logs).at(-1), {
      plugin: 'acme-sign-in',
      authenticator: 'by-header',
      error: 'TypeError',
      reason: /not logged/,
      place: /admin-authenticators\.test\.ts/,
    })
    t.notMatch(logs.slice(from).join('\n'), /ada@/, 'its message may quote a header')
  }
  fail = () => {
    throw new PluginError('acme-sign-in', 'has no directory')
  }
  await ask('GET', '/orgs')
  t.match(failures(logs).at(-1), { plugin: 'acme-sign-in', reason: 'plugin acme-sign-in has no directory' })
  fail = () => {
    throw undefined
  }
  t.equal((await ask('GET', '/orgs')).status, 503)
  fail = () => ({
    id: 'ada',
    get role() {
      throw new Error(secret)
    },
  })
  t.equal((await ask('GET', '/orgs')).status, 503)
  t.match(failures(logs).at(-1), { plugin: 'acme-sign-in', authenticator: 'by-header' })
})

t.test('an authenticator may refuse a request itself', async t => {
  const options = { type: 'permission_error', code: 'too_late', message: 'Come back tomorrow.' }
  let status = 403
  const { ask, logs } = await signedInBy(t, () => {
    throw new GatewayError({ status, ...options })
  })
  const from = logs.length
  const reply = await ask('GET', '/orgs')
  t.equal(reply.status, 403)
  t.match(await reply.json(), { error: options })
  t.equal(logs.length, from)
  status = 502
  t.equal((await ask('GET', '/orgs')).status, 502)
  t.match(failures(logs).at(-1), { plugin: 'acme-sign-in', authenticator: 'by-header' })
})

t.test('a promise of any kind will do', async t => {
  let given: unknown
  const { ask } = await signedInBy(t, () => given)
  const viewer = { id: 'ada', role: 'viewer', org: 'acme' }
  for (const promise of [later(viewer), twice(viewer, { ...viewer, role: 'owner' })]) {
    given = promise
    t.match(await (await ask('GET', '/orgs')).json(), { data: [{ id: 'acme' }], has_more: false })
    t.equal((await ask('PATCH', '/orgs/acme', { name: 'x' })).status, 403)
  }
  for (const promise of [throwing(new Error('x')), unreadable(new Error('x'))]) {
    given = promise
    t.equal((await ask('GET', '/orgs')).status, 503)
  }
})

t.test('an unknown role has no rights', t => {
  for (const role of ['Viewer', 'admin', 'none', '', '__proto__', 'toString', undefined, null, ['owner'], 0, {}] as never[])
    for (const least of adminRoles) t.notOk(hasRole({ role }, least))
  t.notOk(hasRole({ role: 'owner' }, 'admin' as never))
  t.same(
    adminRoles.map(role => adminRoles.map(least => hasRole({ role }, least))),
    [
      [true, true, true],
      [false, true, true],
      [false, false, true],
    ],
  )
  t.end()
})
