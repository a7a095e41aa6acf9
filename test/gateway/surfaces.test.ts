import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { definePlugin, Routes, type PluginUse, type Route } from '../../core/index.ts'
import { Connections, GatewayServices } from '../../core/kit.ts'
import { fakeUpstream } from '../../core/testing/fake-upstream.ts'
import { testGateway } from '../../core/testing/index.ts'
import dm from '../../plugins/decisions/dm/index.ts'
import key from '../../plugins/endpoints/key/index.ts'
import openapi from '../../plugins/endpoints/openapi/index.ts'
import cohere from '../../plugins/providers/cohere/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import { echo } from '../core/server/echo-protocol.ts'
import { byEveryWay } from '../kit/by-every-way.ts'
import { basics, gateway, listeningGateway } from '../kit/gateway.ts'
import { adding } from '../kit/stage.ts'
import { sandboxModel, surfaces, urlOf, type Surface } from '../kit/surfaces.ts'

// What all surfaces have in common.

const others = [...new Map(surfaces.filter(({ name }) => name !== 'responses').map(({ name, use }) => [name, use])).values()]

byEveryWay('a record names the surface, whatever became of the request', async t => {
  const under = await listeningGateway({ plugins: [...others.map(use => use({})), openapi({}), key({})] })
  t.teardown(under.stop)
  const send = async (method: string, path: string, body?: object, authorization = `Bearer ${under.apiKey}`) => {
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${under.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    await reply.text()
    const { status, surface } = await under.record(reply.headers.get('x-request-id')!)
    t.equal(status, reply.status, `${method} ${path}`)
    return [status, surface]
  }
  for (const surface of surfaces) {
    const { name } = surface
    const model = sandboxModel(surface)
    const path = urlOf(surface, model)
    const asked = surface.body(model)
    t.same(await send('POST', path, asked), [200, name], path)
    t.same(await send('POST', path, asked, 'Bearer wrong'), [401, name], 'of a key that is refused')
    t.same(await send('POST', path, {}), [400, name], 'of a body that is refused')
    // Where the model is in the path, its details are there, too.
    if (!surface.pathOf) t.same(await send('GET', path), [405, name], 'of another method')
  }
  t.same(await send('GET', '/v1/responses/resp_unknown'), [404, 'responses'])
  t.same(await send('POST', '/v1/messages/batches', {}), [404, 'messages'], 'of a path below')
  t.same(await send('POST', '/v1/responses/resp_1/nothing/here', {}), [404, 'responses'])
  t.same(await send('POST', '/v1beta/nothing', {}), [404, 'gemini'])
  for (const path of ['/v1/models', '/v1/models/sandbox/echo', '/v1/key', '/openapi.json'])
    t.same(await send('GET', path), [200, null], `${path} is no surface`)
  t.same(await send('GET', '/nowhere'), [404, null])
  t.same(await send('DELETE', '/v1/models'), [405, null])
})

t.test('plugins say which surface their requests belong to', async t => {
  const handle: Route['handle'] = () => ({ status: 200 })
  const route = { method: 'GET', auth: 'key', handle } as const
  let open!: GatewayServices['openScope']
  const acme = definePlugin({
    name: 'acme-feed',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { gateway: GatewayServices },
    setup(registrar, _, { gateway }) {
      registrar.add<Route>(Routes, { ...route, path: '/v1/feed' })
      registrar.add<Route>(Routes, { ...route, path: '/v1/other', surface: 'responses' })
      registrar.add<Route>(Routes, { ...route, path: '/v1/none', surface: null })
      registrar.onStart(() => void (open = gateway.openScope))
    },
  })({})
  const under = await gateway({ plugins: [acme] })
  t.teardown(under.stop)
  const surfaceOf = async (path: string) => (await under.record((await under.request(path)).headers.get('x-request-id')!)).surface
  t.equal(await surfaceOf('/v1/feed'), 'acme-feed', 'by default, the name of the plugin')
  t.equal(await surfaceOf('/v1/other'), 'responses')
  t.equal(await surfaceOf('/v1/none'), null)
  const opening = { authorization: `Bearer ${under.apiKey}`, method: 'QUEUE', path: 'orders' }
  for (const [surface, recorded] of [
    ['orders', 'orders'],
    [undefined, null],
  ] as const) {
    const scope = await open({ ...opening, surface })
    scope.close(200)
    t.equal((await under.record(scope.id)).surface, recorded)
  }
  await t.rejects(open({ ...opening, surface: 7 as unknown as string }), TypeError)
  await t.rejects(gateway({ plugins: [adding(Routes, { ...route, path: '/v1/bad', surface: 'Two Words' })] }), /a bad `surface`/)
})

t.test('the messages of a connection belong to its surface', async t => {
  for (const surface of ['responses', null, undefined] as const) {
    const protocol = echo(surface === undefined ? {} : { surface })
    const under = await listeningGateway({ plugins: [adding(Connections, protocol)] })
    const { port } = new URL(under.url)
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    let got = ''
    socket.on('data', text => (got += text))
    socket.write(
      `GET /v1/echo HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: echo\r\nauthorization: Bearer ${under.apiKey}\r\n\r\nhello\nbye\n`,
    )
    await once(socket, 'close')
    t.match(got, /101/)
    const recorded = await under.recorded(2)
    t.equal(new Set(recorded.map(each => each.surface)).size, 1)
    const [first] = recorded
    if (surface === undefined) t.type(first!.surface, 'string', 'by default, the name of the plugin')
    else t.equal(first!.surface, surface)
    await under.stop()
  }
})

// Every status that a vendor may answer with, through every surface.

/** `failed`: the status of a spent chain. */
type Expected = number | 'failed' | 'overloaded'
const expected: Readonly<Record<number, { readonly status: Expected; readonly ofDecisions?: Expected; readonly retry?: boolean }>> = {
  400: { status: 400, ofDecisions: 422 },
  401: { status: 'failed', retry: false },
  402: { status: 'failed', retry: false },
  403: { status: 'failed', retry: false },
  404: { status: 400, ofDecisions: 'failed' },
  422: { status: 400, ofDecisions: 422 },
  424: { status: 'failed', retry: true },
  429: { status: 429 },
  500: { status: 'failed', retry: true },
  502: { status: 'failed', retry: true },
  503: { status: 'overloaded', retry: true },
  504: { status: 504, ofDecisions: 'failed' },
  529: { status: 'overloaded', retry: true },
}

const vendorOf = (kind: Surface['kind'], baseUrl: string): PluginUse => {
  if (kind === 'decision') return dm({ baseUrl, apiKey: 'sk-demo-key' })
  if (kind === 'rerank') return cohere({ id: 'acme', baseUrl, apiKey: 'sk-demo-key' })
  return openaiChat({ id: 'acme', host: 'compatible', baseUrl, apiKey: 'sk-demo-key' })
}

/** The model that the vendor serves. */
const modelOf = ({ kind }: Surface): string => (kind === 'decision' ? 'dm-1.13.0' : 'acme/m')

async function failing(t: Test, { use, kind, name }: Surface, status: number) {
  const body = JSON.stringify({ error: { message: 'CANARY' }, message: 'CANARY', detail: 'CANARY' })
  const upstream = await fakeUpstream(() => ({ status, headers: { 'content-type': 'application/json' }, body }))
  const plugins = [...(name === 'responses' ? [] : [use({})]), vendorOf(kind, upstream.url)]
  const under = await gateway({ settings: { retries: 0, logLevel: 'silent' }, plugins })
  t.teardown(under.stop)
  t.teardown(() => upstream.close())
  return under
}

for (const surface of surfaces)
  t.test(`${surface.path}: what callers get for each status of a vendor`, async t => {
    for (const [given, { status, ofDecisions, retry }] of Object.entries(expected)) {
      const under = await failing(t, surface, Number(given))
      const reply = await under.request(urlOf(surface, modelOf(surface)), { body: surface.body(modelOf(surface)) })
      const wanted = surface.kind === 'decision' ? (ofDecisions ?? status) : status
      const { failed, overloaded = failed } = surface
      t.equal(reply.status, wanted === 'failed' ? failed : wanted === 'overloaded' ? overloaded : wanted, `${given}`)
      if (retry !== undefined) t.equal(reply.headers.get('x-should-retry'), String(retry), `${given}: x-should-retry`)
      const said = String(surface.messageOf(await reply.json()))
      if (['401', '402', '403'].includes(given)) {
        t.notMatch(said, 'CANARY', `${given}: what the vendor says of the gateway's account`)
        t.match(said, /The operator has to/)
      }
      t.equal((await under.record(reply.headers.get('x-request-id')!)).status, reply.status, 'as recorded')
    }
  })

for (const surface of surfaces)
  t.test(`${surface.path}: the operator chooses the status of a spent chain`, async t => {
    for (const vendorStatus of [500, 503, 401, 400, 429]) {
      const upstream = await fakeUpstream(() => ({ status: vendorStatus, body: '{}' }))
      const plugins = basics().filter(({ plugin }) => plugin !== surface.use({}).plugin)
      const under = await testGateway({
        settings: { retries: 0, logLevel: 'silent' },
        plugins: [...plugins, surface.use({ upstreamFailureStatus: 502 }), openapi({}), vendorOf(surface.kind, upstream.url)],
      })
      const { status } = await under.request(urlOf(surface, modelOf(surface)), { body: surface.body(modelOf(surface)) })
      const ofCaller = vendorStatus === 429 ? 429 : surface.kind === 'decision' ? 422 : 400
      t.equal(status, vendorStatus === 400 || vendorStatus === 429 ? ofCaller : 502, `after a ${vendorStatus}`)
      const document = (await (await under.request('/openapi.json')).json()) as any
      const { responses: replies } = document.paths[surface.path].post
      t.ok(replies['502'], 'as described')
      t.notOk(replies['424'])
      await under.stop()
      await upstream.close()
    }
  })

t.test('no surface is loaded before its first request', async t => {
  const gateway = spawn(
    process.execPath,
    ['--conditions=turnpike-source', fileURLToPath(new URL('./surface-loader.ts', import.meta.url))],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const said = JSON.parse(await text(gateway.stdout)) as readonly { readonly asked: string | null; readonly loaded: readonly string[] }[]
  const files = surfaces.map(({ name, loads }) => `plugins/endpoints/${name}/${loads}`)
  const isUsed = new Set<string>()
  for (const [index, { asked, loaded }] of said.entries()) {
    if (index > 0) isUsed.add(files[index - 1]!)
    t.same(
      [...new Set(files)].filter(file => loaded.some(url => url.endsWith(file))),
      [...new Set(files)].filter(file => isUsed.has(file)),
      asked === null ? 'at the start' : `after ${asked}`,
    )
  }
  t.equal(said.length, surfaces.length + 1)
})

t.test('every surface is in the list', async t => {
  const folder = fileURLToPath(new URL('../../plugins/endpoints/', import.meta.url))
  // They ask no models, or are another way to the surface `responses`.
  const others = ['admin', 'conversations', 'dashboard', 'health', 'key', 'models', 'openapi', 'responses-websocket']
  const isOther = (name: string): boolean => others.includes(name)
  t.same(
    readdirSync(folder).filter(name => !isOther(name)),
    [...new Set(surfaces.map(({ name }) => name))].toSorted(),
  )
})
