import t, { type Test } from 'tap'
import { AdminRoutes, type AdminRoute } from '../../../core/admin.ts'
import { definePlugin, PluginError } from '../../../core/index.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'

// Plugins' admin routes that return or throw something wrong.

async function underTest(t: Test, handle: () => unknown): Promise<AdminGateway> {
  const plugin = definePlugin({
    name: 'acme-pages',
    contracts: { AdminRoutes: 1 },
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup: registrar =>
      registrar.add(AdminRoutes, {
        method: 'GET',
        path: '/admin/v1/acme',
        role: 'viewer',
        reach: 'org',
        handle: handle as AdminRoute['handle'],
      }),
  })
  const under = await adminGateway({ plugins: [plugin({})] })
  t.teardown(under.stop)
  return under
}

const faulty: readonly (readonly [string, () => unknown, RegExp])[] = [
  ['nothing', () => undefined, /expected an object with a status, got nothing/],
  ['null', () => null, /got null/],
  ['a number', () => 5, /expected an object with a status, got a value of type number/],
  ['a text', () => 'CANARY', /got a value of type string/],
  ['{}', () => ({}), /expected a status from 200 to 599, got nothing/],
  ['an array', () => [200, 'CANARY'], /expected a status/],
  ['a status as text', () => ({ status: '200' }), /expected a status/],
  ['an impossible status', () => ({ status: 99 }), /expected a status from 200 to 599, got 99/],
  [
    'an object as body',
    () => ({ status: 200, body: { text: 'CANARY' } }),
    /expected the body to be a string\. To stream, return a Response/,
  ],
  ['a number as body', () => ({ status: 200, body: 5 }), /expected the body to be a string/],
  ['headers that are a text', () => ({ status: 200, headers: 'CANARY' }), /expected headers to be an object/],
  ['a header that HTTP forbids', () => ({ status: 200, headers: { 'x-a': 'CANARY\n' + '\u2603' } }), /valid HTTP/],
  ['a body with a status that has none', () => ({ status: 204, body: 'CANARY' }), /no body with a status that has none/],
  ['a response of an error', () => Response.error(), /expected a status from 200 to 599, got 0/],
  [
    'a response that was read',
    async () => {
      const response = new Response('CANARY')
      await response.text()
      return response
    },
    /a Response whose body is unread/,
  ],
]

for (const [name, handle, reason] of faulty)
  t.test(`a route that returns ${name} is a 500 whose log line names the plugin`, async t => {
    const { call, logs } = await underTest(t, handle)
    for (const returned of [await call('GET', '/acme'), await call('GET', '/acme')]) {
      t.match(returned, { status: 500, body: { error: { code: 'server_error' } } })
      t.ok(returned.headers.get('x-request-id'))
    }
    t.equal(logs.length, 2)
    t.match(JSON.parse(logs[0]!), {
      level: 'error',
      status: 500,
      plugin: 'acme-pages',
      route: 'GET /admin/v1/acme',
      reason: /plugin acme-pages returned a reply for GET \/admin\/v1\/acme that cannot be sent: /,
    })
    t.match(JSON.parse(logs[0]!), { reason })
    t.notMatch(logs.join('\n'), /CANARY/)
  })

for (const [name, fail] of [
  [
    'throws',
    () => {
      throw new TypeError('CANARY')
    },
  ],
  ['rejects', () => Promise.reject(new TypeError('CANARY'))],
] as const)
  t.test(`a route that ${name} is a 500 whose log line names the plugin`, async t => {
    const { call, logs } = await underTest(t, fail)
    const { status, body } = await call('GET', '/acme')
    t.equal(status, 500)
    t.notMatch(JSON.stringify(body), /CANARY/)
    t.equal(logs.length, 1)
    t.match(JSON.parse(logs[0]!), {
      plugin: 'acme-pages',
      route: 'GET /admin/v1/acme',
      error: 'TypeError',
      reason: /not logged/,
      place: /admin-replies\.test\.ts/,
    })
    t.notMatch(logs[0], /CANARY/)
  })

t.test('the log has the message of a PluginError, and the code of a system error', async t => {
  let thrown: unknown = new PluginError('acme-pages', 'has no template')
  const { call, logs } = await underTest(t, () => {
    throw thrown
  })
  t.equal((await call('GET', '/acme')).status, 500)
  t.match(JSON.parse(logs[0]!), { plugin: 'acme-pages', reason: 'plugin acme-pages has no template' })
  thrown = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED', syscall: 'connect' })
  t.match(await call('GET', '/acme'), { status: 503, body: { error: { message: /failed \(ECONNREFUSED\)/ } } })
  t.match(JSON.parse(logs[1]!), { plugin: 'acme-pages', code: 'ECONNREFUSED', reason: 'connect ECONNREFUSED 127.0.0.1:1' })
})

t.test('every valid reply is sent', async t => {
  let reply: unknown
  const { call, logs } = await underTest(t, () => reply)
  for (const [given, status, body] of [
    [{ status: 200 }, 200, ''],
    [{ status: 204 }, 204, ''],
    [{ status: 201, headers: { 'content-type': 'text/plain' }, body: 'made' }, 201, 'made'],
    [new Response('streamed', { status: 206 }), 206, 'streamed'],
    [new Response(null, { status: 204 }), 204, ''],
  ] as const) {
    reply = given
    t.match(await call('GET', '/acme'), { status, body })
  }
  t.equal(logs.length, 0)
})
