import t, { type Test } from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { stores } from '../../kit/accounts.ts'
import { adminGateway, type AdminGateway, type Answer } from '../../kit/admin-gateway.ts'
import { fileOf } from '../stores/sql.ts'
import { noPostgres, startPostgres } from '../stores/postgres-server.ts'

// Requests of a hostile or careless caller with a valid token. None may get a 500, and none may leave a trace.

type Stores = Parameters<typeof sql>[0]

const services = ['keys', 'accounts', 'responses', 'metrics', 'limits', 'ledger', 'records', 'audit', 'admin-tokens'] as const

async function underTest(t: Test, stores?: Stores): Promise<AdminGateway> {
  const plugins = stores ? [sql({ ...stores, services: [...services] })] : []
  const under = await adminGateway({ plugins })
  t.teardown(under.stop)
  const { call } = under
  await call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  await call('POST', '/teams', { id: 'research', name: 'Research', org: 'acme' })
  await call('POST', '/users', { id: 'ada', name: 'Ada', org: 'acme', team: 'research' })
  return under
}

/** On memory, on SQLite, and on a Postgres server. */
function onEveryStore(name: string, check: (t: Test, under: AdminGateway) => Promise<void>): void {
  t.test(`${name}, in memory`, async t => check(t, await underTest(t)))
  t.test(`${name}, on SQLite`, async t => check(t, await underTest(t, { file: fileOf(t) })))
  t.test(`${name}, on Postgres`, { skip: noPostgres }, async t => {
    const server = await startPostgres()
    t.teardown(() => server.stop())
    await check(t, await underTest(t, { url: await server.createDatabase() }))
  })
}

const texts = [
  "' or 1=1 --",
  '"; drop table record; --',
  '%',
  '_',
  '\0',
  '\ud800',
  'a\0b',
  '../..',
  'x'.repeat(10_000),
  '９',
  '{{7*7}}',
  '__proto__',
]
const values: readonly unknown[] = [null, true, 0, -1, 1.5, 1e308, '', ...texts, [], [[]], {}, { a: { b: [] } }, [null], { toString: 1 }]

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? ''
}

function isRefused(t: Test, { status, body }: Answer, name: string): void {
  t.ok(status >= 400 && status < 500, `${name}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
  if (status === 400) t.type(body.error.message, 'string')
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> }
}

/** Every route as the published description has it, with ids that exist. */
async function operations(under: AdminGateway, ids: Readonly<Record<string, string>>) {
  const { paths } = (await under.call('GET', '/admin/openapi.json')).body as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [, list = ''] = /v1\/([\w-]+)/.exec(path) ?? []
      return { method: method.toUpperCase(), path: path.replace('{id}', ids[list] ?? 'nobody'), operation }
    }),
  )
}

async function idsIn({ call }: AdminGateway): Promise<Readonly<Record<string, string>>> {
  const { id } = (await call('POST', '/keys', { name: 'k', org: 'acme' })).body
  return { orgs: 'acme', teams: 'research', users: 'ada', keys: id }
}

t.test('every member of every body, with values of every type', async t => {
  const under = await underTest(t)
  const ids = await idsIn(under)
  for (const { method, path, operation } of await operations(under, ids)) {
    const schema = operation.requestBody?.content['application/json']?.schema
    if (!schema) continue
    const required = { name: 'x', org: 'acme', role: 'viewer', amount_usd: 1, key: ids['keys'], request: {} }
    const names = Object.keys(schema['properties'] as object)
    const valid = Object.fromEntries(Object.entries(required).filter(([name]) => names.includes(name)))
    for (const name of [...names, 'constructor', '__proto__'])
      for (const value of values) {
        const body = JSON.stringify(valid)
          .replace(/}$/, `${names.length > 0 ? ',' : ''}${JSON.stringify(name)}:${JSON.stringify(value)}}`)
          .replace('{,', '{')
        const { status } = await under.call(method, path, body)
        if (status >= 500) t.fail(`${method} ${path} ${name} ${show(value)}: ${status}`)
      }
    for (const value of [null, 1, 'x', true, []])
      isRefused(t, await under.call(method, path, JSON.stringify(value)), `${method} ${path} ${show(value)}`)
  }
  t.equal(({} as JsonObject)['name'], undefined)
})

t.test('bodies that are large, deep, broken or of another type', async t => {
  const under = await underTest(t)
  const { id } = (await under.call('POST', '/keys', { name: 'k', org: 'acme' })).body
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const bodies = [
    `{"name":"${'x'.repeat(10_000_000)}"}`,
    `{"metadata":${deep}}`,
    `{"policy":{"redaction":{"value":true,"settings":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}}}`,
    `{"models":[${'"a",'.repeat(1_000_000)}"b"]}`,
    `{${Array.from({ length: 200_000 }, (_, index) => `"a${index}":1`).join()}}`,
    '{"name":"a"',
    '{"name":"a"}}',
    '{"spend_cap_usd":1e999}',
    "{'name':'a'}",
    ' ',
    '\ufeff',
  ]
  for (const body of bodies)
    for (const [method, path] of [
      ['PATCH', `/keys/${id}`],
      ['POST', '/orgs'],
    ] as const)
      isRefused(t, await under.call(method, path, body), `${method} ${path} ${body.slice(0, 40)} of ${body.length}`)
  const { app, localToken } = under.gateway.admin!
  const send = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
    app.h3.request('/admin/v1/orgs', { method: 'POST', headers: { authorization: `Bearer ${localToken}`, ...headers }, body })
  t.equal((await send({ 'content-type': 'text/plain' }, '{"name":"x"}')).status, 415)
  t.equal((await send({ 'content-type': 'application/json', 'content-encoding': 'br' }, 'x')).status, 400)
  t.equal((await send({ 'content-type': 'application/json' }, new Uint8Array([0x7b, 0xff, 0xfe]))).status, 400)
  t.equal((await under.call('GET', '/orgs')).body.data.length, 1)
})

onEveryStore('every parameter of every list and sum', async (t, under) => {
  const ids = await idsIn(under)
  await under.request('/v1/models')
  let asked = 0
  for (const { method, path, operation } of await operations(under, ids)) {
    if (method !== 'GET') continue
    for (const { name } of operation.parameters?.filter(parameter => parameter.in === 'query') ?? [])
      for (const value of [
        ...texts,
        '-1',
        '1.5',
        '1e400',
        '99999999999999999999',
        'NaN',
        '0x10',
        '275760-09-14',
        '9999-12-31T23:59:60Z',
        '2026-13-01',
      ]) {
        const { status, body } = await under.call('GET', `${path}?${name}=${encodeURIComponent(value.toWellFormed())}`)
        asked++
        if (status >= 500) t.fail(`GET ${path}?${name}=${value.slice(0, 40)}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
        if (status === 200 && name === 'org' && !path.includes('/users/') && !path.includes('/teams/'))
          t.same(body.data ?? [], [], `nothing is of ${value.slice(0, 20)}`)
      }
    for (const raw of ['%00', '%', '%ff%fe', '%ed%a0%80', '&&&', 'a[]=1', 'limit=1&limit=2']) {
      const { status } = await under.call('GET', `${path}?id=${raw}`)
      if (status >= 500) t.fail(`GET ${path}?id=${raw}: ${status}`)
    }
  }
  t.ok(asked > 100)
  for (const list of ['orgs', 'teams', 'users', 'keys', 'records', 'admin-tokens'])
    for (const text of texts)
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const { status } = await under.call(
          method,
          `/${list}/${encodeURIComponent(text.toWellFormed())}`,
          method === 'PATCH' ? {} : undefined,
        )
        if (status >= 500 || status < 400) t.fail(`${method} /${list}/${text.slice(0, 20)}: ${status}`)
      }
})

onEveryStore('cursors of other lists, and forged ones', async (t, under) => {
  const lists = [
    '/orgs',
    '/teams',
    '/users',
    '/keys',
    '/records',
    '/audit',
    '/admin-tokens',
    '/orgs/acme/credits',
    '/models',
    '/providers',
    '/plugins',
  ]
  const cursor = (list: string, at: unknown, id: unknown): string => Buffer.from(JSON.stringify({ list, at, id })).toString('base64url')
  const names = ['org', 'team', 'user', 'keys', 'records', 'audit', 'admin-tokens', 'credits', 'models', 'providers', 'plugins']
  for (const [index, path] of lists.entries()) {
    for (const name of names)
      if (name !== names[index])
        t.equal((await under.call('GET', `${path}?cursor=${cursor(name, 1, 'x')}`)).status, 400, `${path} with ${name}`)
    for (const at of [0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, '1', null, [], {}])
      for (const id of ['', '\0', "'", 'x'.repeat(5_000), 1, null]) {
        const { status } = await under.call('GET', `${path}?cursor=${cursor(names[index]!, at, id)}`)
        if (status >= 500) t.fail(`${path} ${show(at)} ${show(id)}: ${status}`)
      }
    for (const broken of ['%00', 'bnVsbA', 'e30', 'x'.repeat(20_000)])
      t.equal((await under.call('GET', `${path}?cursor=${broken}`)).status, 400, `${path} ${broken.slice(0, 10)}`)
  }
})

onEveryStore('200 changes of one key at once', async (t, { call }) => {
  const { id } = (await call('POST', '/keys', { name: 'k', org: 'acme' })).body
  const fields = ['zdr', 'logging', 'hipaa', 'redaction']
  const changes = Array.from({ length: 200 }, (_, index): JsonObject => {
    if (index % 5 === 0) return { name: `name ${index}` }
    if (index % 5 === 1) return { spend_cap_usd: index }
    return { policy: { [fields[index % 4]!]: { value: true } } }
  })
  const replies = await Promise.all(changes.map(change => call('PATCH', `/keys/${id}`, change)))
  t.ok(replies.every(({ status }) => status === 200))
  const { body } = await call('GET', `/keys/${id}`)
  t.same(Object.keys(body.policy).toSorted(), fields.toSorted(), 'no field was lost')
  t.match(body, { name: /^name \d+/, spend_cap_usd: Number })
  await Promise.all(fields.map(field => call('PATCH', '/orgs/acme', { policy: { [field]: { value: true, enforced: true } } })))
  t.same(Object.keys((await call('GET', '/orgs/acme')).body.policy).toSorted(), fields.toSorted(), 'of an organization neither')

  const rotated = await Promise.all(Array.from({ length: 8 }, () => call('POST', `/keys/${id}/rotate`, { grace_seconds: 600 })))
  t.equal(new Set(rotated.map(each => each.body.key)).size, 8)
})

t.test('each of several rotations at once gives a secret that works', async t => {
  const under = await underTest(t, { file: fileOf(t) })
  const { id } = (await under.call('POST', '/keys', { name: 'k', org: 'acme' })).body
  const rotated = await Promise.all(Array.from({ length: 8 }, () => under.call('POST', `/keys/${id}/rotate`, { grace_seconds: 600 })))
  for (const { body } of rotated)
    t.equal((await under.request('/v1/models', { headers: { authorization: `Bearer ${body.key}` } })).status, 200)
})

t.test('a store that fails is a 503 that names its failure, and a mistake is a 500 that reveals nothing', async t => {
  const given = stores()
  const under = await adminGateway({ plugins: [given.plugin] })
  t.teardown(under.stop)
  const failWith = (more: object): void => {
    const page = async (): Promise<never> => {
      throw Object.assign(new Error('private text'), more)
    }
    Object.assign(given.of().accounts, { page })
  }
  failWith({ code: 'SQLITE_FULL' })
  const down = await under.call('GET', '/orgs')
  t.equal(down.status, 503)
  t.match(down.body, { error: { code: 'server_error', message: /^A store of the gateway failed \(SQLITE_FULL\)\./ } })
  for (const mistake of [{}, { code: 'ERR_INVALID_ARG_TYPE' }]) {
    failWith(mistake)
    const { status, body } = await under.call('GET', '/orgs')
    t.equal(status, 500)
    t.match(body, { error: { message: /^The gateway failed to handle this request\./ } })
  }
})
