import t from 'tap'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { Connections } from '../../../core/kit.ts'
import {
  AdminAuthenticators,
  AdminHosts,
  AdminRoutes,
  DashboardPages,
  type AdminAuthenticator,
  type AdminRoute,
} from '../../../core/admin.ts'
import { Routes, type Route } from '../../../core/index.ts'
import type { ConnectionProtocol } from '../../../core/contracts/connection.ts'
import {
  adminAuthenticatorSuite,
  adminHostSuite,
  adminRouteSuite,
  connectionSuite,
  dashboardPageSuite,
  routeSuite,
} from '../../../core/testing/index.ts'
import { adds, complaints, type Case } from './complaints.ts'

function notices<M>(cases: readonly Case<M>[], found: (members: M) => Promise<readonly string[]>): void {
  for (const { mistake, members, noticed } of cases)
    t.test(`a suite notices ${mistake}`, async t => {
      const names = await found(members)
      for (const name of noticed) t.ok(names.includes(name), `${name}; noticed by: ${names.join('; ')}`)
    })
}

const json = { 'content-type': 'application/json' }
const model = (body: unknown): string => {
  const { model } = (body ?? {}) as { readonly model?: unknown }
  return typeof model === 'string' ? model : ''
}

const route = (members: Partial<Route> = {}): Promise<readonly string[]> =>
  complaints(suite =>
    routeSuite(suite, {
      plugin: adds<Route>(Routes, () => ({
        method: 'POST',
        path: '/v1/demo/:id',
        auth: 'key',
        handle: async exchange => ({ status: 200, headers: json, body: JSON.stringify({ model: model(await exchange.json()) }) }),
        describe: () => ({
          summary: 'Names the model.',
          path: { id: { description: 'An id.', schema: { type: 'string' } } },
          replies: { 200: { description: 'Its name.' } },
        }),
        ...members,
      })),
      recordMs: 500,
    }),
  )

t.test('the suite accepts a route that keeps its contract', async t => {
  t.same(await route(), [])
})

const answered = 'any body, path and query gets an answer'
notices<Partial<Route>>(
  [
    {
      mistake: 'a route that takes every body to be an object',
      members: { handle: async exchange => ({ status: 200, body: ((await exchange.json()) as { model: string }).model.trim() }) },
      noticed: [answered],
    },
    {
      mistake: 'a route that reads a caller that it did not ask for',
      members: { auth: 'none', handle: ({ caller }) => ({ status: 200, body: caller.owner }) },
      noticed: [answered],
    },
    {
      mistake: 'a route that is JSON by its name alone',
      members: { handle: () => ({ status: 200, headers: json, body: 'fine' }) },
      noticed: [answered],
    },
    {
      mistake: 'a route that shows a stack',
      members: { handle: () => ({ status: 400, body: new Error('demo').stack!.replaceAll('file://', 'file:///') }) },
      noticed: [answered],
    },
    {
      mistake: 'a route whose errors say nothing',
      members: { error: ({ status }) => ({ status, body: '{"error":"failed"}' }) },
      noticed: ['its errors have the status and a body'],
    },
    {
      mistake: 'a route that describes a parameter that it does not have',
      members: { path: '/v1/demo' },
      noticed: ['is described for OpenAPI, if it has `describe`'],
    },
    {
      mistake: 'an example that nobody can answer',
      members: { trial: { name: 'demo', title: 'Demo', kind: 'generation', example: {}, texts: ['answer'] } },
      noticed: ['what the playground sends is answered, if it has a `trial`'],
    },
  ],
  route,
)

const connection = (open: ConnectionProtocol['open']): Promise<readonly string[]> =>
  complaints(suite =>
    connectionSuite(suite, {
      plugin: adds<ConnectionProtocol>(Connections, () => ({ protocol: 'demo', path: '/v1/demo', open })),
      stopMs: 500,
    }),
  )

const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: demo\r\n\r\n'
const echo: ConnectionProtocol['open'] = connection => {
  const { socket } = connection
  socket.write(head)
  socket.on('data', chunk => socket.write(chunk))
  connection.onStop(() => socket.end())
}

t.test('the suite accepts a protocol that keeps its contract', async t => {
  t.same(await connection(echo), [])
})

const accepts = 'accepts an upgrade, and lets go of a peer that leaves'
notices<ConnectionProtocol['open']>(
  [
    {
      mistake: 'a protocol that stays when the gateway stops',
      members: ({ socket }) => {
        socket.write(head)
        socket.resume()
      },
      noticed: ['leaves when the gateway stops'],
    },
    {
      mistake: 'a protocol that never answers',
      members: () => {},
      noticed: [accepts],
    },
    {
      mistake: 'a protocol that throws at what a peer sends',
      members: connection => {
        const { socket } = connection
        socket.write(head)
        socket.on('data', chunk => void JSON.parse(String(chunk)))
        connection.onStop(() => socket.end())
      },
      noticed: ['survives whatever a peer sends'],
    },
    {
      mistake: 'a protocol that answers with another status',
      members: ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
      noticed: [accepts],
    },
  ],
  connection,
)

const adminRoute = (members: Partial<AdminRoute> = {}): Promise<readonly string[]> =>
  complaints(suite =>
    adminRouteSuite(suite, {
      plugin: adds<AdminRoute>(AdminRoutes, () => ({
        method: 'POST',
        path: '/admin/v1/demo/:id',
        role: 'editor',
        reach: 'all',
        handle: async exchange => ({ status: 200, headers: json, body: JSON.stringify({ model: model(await exchange.json()) }) }),
        ...members,
      })),
    }),
  )

t.test('the suite accepts a route of the admin API that keeps its contract', async t => {
  t.same(await adminRoute(), [])
})

notices<Partial<AdminRoute>>(
  [
    {
      mistake: 'a route of the admin API that takes every body to be an object',
      members: { handle: async exchange => ({ status: 200, body: ((await exchange.json()) as { model: string }).model.trim() }) },
      noticed: [answered],
    },
    {
      mistake: 'a route of the admin API that reads a caller that it did not ask for',
      members: { role: 'none', handle: ({ admin }) => ({ status: 200, body: admin.id }) },
      noticed: [answered],
    },
    {
      mistake: 'a route of the admin API without a summary',
      members: { describe: () => ({ summary: '', replies: { 200: { description: 'x' } } }) },
      noticed: ['is described for OpenAPI, if it has `describe`'],
    },
  ],
  adminRoute,
)

const host = (name: string): Promise<readonly string[]> =>
  complaints(suite => adminHostSuite(suite, { plugin: adds(AdminHosts, () => ({ name })) }))

t.test('the suite of admin hosts', async t => {
  t.same(await host('gateway.example.com'), [])
  for (const wrong of ['https://gateway.example.com', 'gateway.example.com:8081', 'gateway.example.com/admin', '*.example.com'])
    t.ok((await host(wrong)).includes('is a host without scheme, port and path'), wrong)
})

const authenticator = (admit: AdminAuthenticator['admit']): Promise<readonly string[]> =>
  complaints(suite =>
    adminAuthenticatorSuite(suite, {
      plugin: adds<AdminAuthenticator>(AdminAuthenticators, () => ({ name: 'demo', admit })),
      known: [{ headers: { cookie: 'session=demo' }, admin: { id: 'demo', role: 'viewer', org: undefined } }],
      forged: [{ cookie: 'session=demo2' }],
    }),
  )
const demo = { id: 'demo', role: 'viewer', org: undefined } as const

t.test('the suite accepts an authenticator that keeps its contract', async t => {
  t.same(await authenticator(request => (request.headers.get('cookie') === 'session=demo' ? demo : undefined)), [])
})

notices<AdminAuthenticator['admit']>(
  [
    { mistake: 'an authenticator that knows everybody', members: () => demo, noticed: ['does not know strangers', 'takes nothing forged'] },
    {
      mistake: 'an authenticator that reads the beginning',
      members: request => (request.headers.get('cookie')?.startsWith('session=demo') ? demo : undefined),
      noticed: ['takes nothing forged'],
    },
    {
      mistake: 'an authenticator that takes every request to have a cookie',
      members: request => (request.headers.get('cookie')!.length > 9_000 ? demo : undefined),
      noticed: ['does not know strangers'],
    },
    {
      mistake: 'an authenticator with another shape',
      members: request =>
        request.headers.get('cookie') === 'session=demo' ? ({ ...demo, role: 'Viewer' } as unknown as typeof demo) : undefined,
      noticed: ['knows whom it knows, each time'],
    },
  ],
  authenticator,
)

t.test('the suite of dashboard pages', async t => {
  const folder = t.testdir({
    'good.js': 'export default ({ html, Page }) => function Demo() { return html`<${Page} title="Demo" />` }',
    'importing.js': "import { html } from 'htm/preact'\nexport default () => () => html``",
    'nothing.js': 'export default ({ html }) => { html`<p>Demo</p>` }',
    'named.js': 'export const page = () => () => undefined',
  })
  const found = (file: string, title = 'Demo page') =>
    complaints(suite =>
      dashboardPageSuite(suite, {
        plugin: adds(DashboardPages, () => ({ id: 'demo-page', title, module: pathToFileURL(join(folder, file)) })),
      }),
    )
  t.same(await found('good.js'), [])
  t.ok((await found('importing.js')).includes('its module imports nothing'))
  t.ok((await found('nothing.js')).includes('its default export makes a component'))
  t.ok((await found('named.js')).includes('its default export makes a component'))
  t.same(await found('missing.js'), [
    'its title fits into the navigation',
    'its module imports nothing',
    'its default export makes a component',
    'the dashboard serves it',
  ])
  t.same(await found('good.js', 'x'.repeat(40)), ['its title fits into the navigation'])
})
