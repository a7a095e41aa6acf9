import assert from 'node:assert/strict'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { Admin, AdminRoute } from '../../contracts/admin-route.ts'
import { adminRoles } from '../../contracts/admin-token-store.ts'
import { parseJson } from '../../foundation/json.ts'
import { AdminAuthenticators, AdminHosts, AdminRoutes } from '../../framework/extension-points.ts'
import { definePlugin, type PluginUse } from '../../framework/plugin.ts'
import type { GatewayAdmin } from '../../gateway-admin.ts'
import { onStage, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { isDescribed, oddPaths, pathOf, strayBodies } from './any-request.ts'
import { addedTo, oddTexts, onEachPlugin, stageOf } from './on-each-plugin.ts'

/** For `adminRouteSuite`. */
export type AdminRouteSuiteOptions = CallSuiteOptions
/** For `adminHostSuite`. */
export type AdminHostSuiteOptions = CallSuiteOptions

/** For `adminAuthenticatorSuite`. */
export interface AdminAuthenticatorSuiteOptions extends CallSuiteOptions {
  /** Headers that it knows, and whom it takes them for. */
  readonly known?: readonly {
    /** Sent with the request, by name. */
    readonly headers: Readonly<Record<string, string>>
    /** Must be the one that routes get. */
    readonly admin: Admin
  }[]
  /** Headers that look like those, but are nobody's. */
  readonly forged?: readonly Readonly<Record<string, string>>[]
}

const probePath = '/suite/admin'

/** Makes sure that there is an admin API, and tells whom it takes the caller for. */
const probe = definePlugin({
  name: 'admin-suite',
  contracts: { AdminRoutes: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(AdminRoutes, {
      method: 'GET',
      path: probePath,
      role: 'viewer',
      reach: 'org',
      handle: ({ admin }) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(admin) }),
    })
  },
})

function probed(options: CallSuiteOptions): CallSuiteOptions {
  return { ...options, plugins: (): readonly PluginUse[] => [...(options.plugins?.() ?? []), probe({})] }
}

type Headers = Readonly<Record<string, string>>

async function asked(stage: CallStage, path: string, headers: Headers, init: RequestInit = {}): Promise<{ status: number; text: string }> {
  const reply = await adminOf(stage).app.h3.request(path, { ...init, headers })
  return { status: reply.status, text: await reply.text() }
}

function adminOf(stage: CallStage): GatewayAdmin {
  const { admin } = stage.gateway.gateway
  assert.ok(admin, 'the gateway has no admin API')
  return admin
}

/** Tests for every plugin with routes of the admin API. */
export function adminRouteSuite(t: SuiteContext, options: AdminRouteSuiteOptions): void {
  const test = onEachPlugin(t, options, AdminRoutes)
  const on = (name: string, run: (stage: CallStage, route: AdminRoute) => Promise<void>): unknown =>
    t.test(name, async () => {
      await using around = await stageOf(options)
      const routes = addedTo(around, options, AdminRoutes)
      await onStage(options, async stage => {
        for (const route of routes) await run(stage, route)
      })
    })
  on('asks for a token with its role and reach', asksForToken)
  on('any body, path and query gets an answer', answersAnything)
  test('is described for OpenAPI, if it has `describe`', async route => {
    if (route.describe) isDescribed(route.path, route.describe())
  })
}

async function asksForToken(stage: CallStage, route: AdminRoute): Promise<void> {
  const { method, role, reach } = route
  if (role === 'none') return
  const where = `${method} ${route.path}`
  const call = async (headers: Headers): Promise<number> => (await asked(stage, pathOf(route), headers, { method })).status
  assert.equal(await call({}), 401, `${where} without a token`)
  assert.equal(await call({ authorization: 'Bearer ta_no_token' }), 401, `${where} with a token that nobody has`)
  const bearer = async (settings: { readonly role: string; readonly org?: string }): Promise<Headers> => ({
    authorization: `Bearer ${await adminOf(stage).issueToken({ name: 'suite', ...settings } as Parameters<GatewayAdmin['issueToken']>[0])}`,
  })
  // From the one with most rights to the one with least.
  for (const lower of adminRoles.slice(adminRoles.indexOf(role) + 1))
    assert.equal(await call(await bearer({ role: lower })), 403, `${where} with a token of the role ${lower}`)
  if (reach === 'all') assert.equal(await call(await bearer({ role, org: 'acme' })), 403, `${where} with a token of one organization`)
}

async function answersAnything(stage: CallStage, route: AdminRoute): Promise<void> {
  const { method } = route
  const authorization = `Bearer ${adminOf(stage).localToken}`
  const check = async (path: string, body?: string, type = 'application/json'): Promise<void> => {
    const init = { method, ...(body !== undefined && { body }) }
    const { status, text } = await asked(stage, path, { authorization, ...(body !== undefined && { 'content-type': type }) }, init)
    const what = `${method} ${path.slice(0, 80)} with ${(body ?? 'no body').slice(0, 60)}`
    assert.ok(status < 500, `status ${status} for ${what}: ${text.slice(0, 200)}`)
    assert.doesNotMatch(text, /\n\s+at \S+ \(?(?:file|node):/, `the reply to ${what} shows a stack`)
  }
  for (const path of oddPaths(route)) await check(path)
  if (method !== 'GET' && method !== 'DELETE') for (const { body, type } of strayBodies) await check(pathOf(route), body, type)
}

/** Tests for every plugin that names hosts of the admin listener. */
export function adminHostSuite(t: SuiteContext, options: AdminHostSuiteOptions): void {
  onEachPlugin(
    t,
    options,
    AdminHosts,
  )('is a host without scheme, port and path', async ({ name }) => {
    const isHost = URL.canParse(`https://${name}`) && new URL(`https://${name}`).host === name.toLowerCase()
    assert.ok(isHost, `"${name}" is no host: expected one such as gateway.example.com`)
    assert.doesNotMatch(name, /\*|:\d+$/, `"${name}": expected one host, without a port`)
  })
  t.test('requests for it are served, and for no other host', async () => {
    await using around = await stageOf(options)
    const hosts = addedTo(around, options, AdminHosts)
    await onStage(probed(options), async stage => {
      const server = createServer(adminOf(stage).listener())
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      try {
        for (const { name } of hosts) assert.equal(await statusFor(server.address() as AddressInfo, name), 401, `for the host ${name}`)
        assert.equal(await statusFor(server.address() as AddressInfo, 'other.example.net'), 421, 'for another host')
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  })
}

async function statusFor({ port }: AddressInfo, host: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const asking = httpRequest({ port, host: '127.0.0.1', path: probePath, headers: { host } }, reply => {
      reply.resume()
      resolve(reply.statusCode!)
    })
    asking.on('error', reject).end()
  })
}

/** Tests for every way to sign in to the admin API. */
export function adminAuthenticatorSuite(t: SuiteContext, options: AdminAuthenticatorSuiteOptions): void {
  const { known = [], forged = [] } = options
  const on = (name: string, run: (stage: CallStage) => Promise<void>): unknown =>
    t.test(name, async () => {
      await using around = await stageOf(options)
      addedTo(around, options, AdminAuthenticators)
      await onStage(probed(options), run)
    })
  on('does not know strangers', async stage => {
    for (const headers of strangers) await isRefused(stage, headers)
  })
  on('knows whom it knows, each time', async stage => {
    for (const { headers, admin } of [...known, ...known]) {
      const { status, text } = await asked(stage, probePath, headers)
      assert.equal(status, 200, text)
      assert.deepEqual(parseJson(text), JSON.parse(JSON.stringify(admin)))
    }
  })
  on('takes nothing forged', async stage => {
    for (const headers of forged) await isRefused(stage, headers)
    for (const { headers, admin } of known)
      for (const [name, value] of Object.entries(headers)) await isAnother(stage, { ...headers, [name]: spoiled(value) }, admin)
  })
}

const strangers: readonly Headers[] = [
  {},
  ...['', 'a', '=', 'session=', 'a=b; a=b; ', 'session=%00%ff', 'x'.repeat(4_000)].map(cookie => ({ cookie })),
  ...oddTexts.filter(text => /^[ -~]{1,200}$/.test(text)).map(text => ({ cookie: `session=${text}`, 'x-user': text })),
]

async function isRefused(stage: CallStage, headers: Headers): Promise<void> {
  const { status } = await asked(stage, probePath, headers)
  assert.ok(status === 401 || status === 403, `status ${status} for the headers ${JSON.stringify(headers).slice(0, 100)}: expected 401`)
}

function spoiled(value: string): string {
  return `${value.slice(0, -1)}${value.endsWith('a') ? 'b' : 'a'}`
}

async function isAnother(stage: CallStage, headers: Headers, admin: Admin): Promise<void> {
  const { status, text } = await asked(stage, probePath, headers)
  assert.ok(status < 500, `status ${status} for changed headers`)
  if (status === 200)
    assert.ok(!isDeepStrictEqual(parseJson(text), JSON.parse(JSON.stringify(admin))), 'changed headers are taken for the same admin')
}
