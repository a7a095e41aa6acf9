import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { AdminRoutes } from '../../../core/admin.ts'
import { definePlugin } from '../../../core/index.ts'
import { KeyStore, type ApiKey } from '../../../core/stores.ts'
import dashboard from '../../../plugins/endpoints/dashboard/index.ts'
import admin from '../../../plugins/endpoints/admin/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { adding } from '../../kit/stage.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'

async function stage(t: Test, plugins: readonly PluginUse[]) {
  const under = await gateway({ plugins: [...plugins] })
  t.teardown(under.stop)
  const server = createServer(under.gateway.admin!.listener()).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const asked = send({ host: '127.0.0.1', port, path, method, agent: false, headers }).end()
    const [reply] = await once(asked, 'response')
    let text = ''
    for await (const chunk of reply) text += chunk
    return { status: reply.statusCode as number, headers: reply.headers, text }
  }
  return { under, ask }
}

const alone = adding(AdminRoutes, { method: 'GET', path: '/own', role: 'viewer', reach: 'org', handle: () => ({ status: 200 }) })

for (const [name, plugins] of [
  ['the admin API and the dashboard', [admin({}), dashboard({})]],
  ['the admin API', [admin({})]],
  ['any admin route', [alone]],
] as const)
  t.test(`with ${name}, its listener tells without a token if the gateway is live and ready`, async t => {
    const { under, ask } = await stage(t, plugins)
    // Load balancers name hosts that the listener does not know, or a host for each of their names.
    for (const headers of [{}, { host: 'balancer.example.com' }, { authorization: 'Bearer ta_demo_wrong' }, { accept: 'text/html' }]) {
      for (const path of ['/live', '/ready', '/ready/', '/live?from=probe']) {
        const reply = await ask('GET', path, headers)
        t.match(
          [reply.status, reply.text, reply.headers['content-length'], reply.headers['cache-control']],
          [200, '', '0', 'no-store'],
          path,
        )
      }
    }
    t.match([(await ask('HEAD', '/live')).status, (await ask('HEAD', '/ready')).status], [200, 200])
    const posted = await ask('POST', '/ready')
    t.match([posted.status, posted.headers['allow'], posted.text], [405, 'GET, HEAD', /"method_not_allowed"/])
    for (const path of ['/readyz', '/live/x', '/metrics', '/healthz']) t.match((await ask('GET', path)).status, /40[14]/, path)

    under.gateway.leave()
    t.equal((await ask('GET', '/live')).status, 200)
    const leaving = await ask('GET', '/ready')
    t.match([leaving.status, leaving.headers['retry-after'], JSON.parse(leaving.text)], [503, '1', { error: { message: /about to stop/ } }])
    const head = await ask('HEAD', '/ready')
    t.match([head.status, head.headers['retry-after'], head.text], [503, '1', ''])
    t.notMatch(under.logs.join('\n'), /"level":"error"/)
  })

t.test('a gateway is not ready while its keys cannot be looked up, or the look fails', async t => {
  let look: () => boolean = () => true
  const store = definePlugin({
    name: 'failing-keys',
    options: { type: 'object', additionalProperties: false, properties: {} },
    provides: [KeyStore],
    setup(registrar) {
      const keys = new Map<string, ApiKey>()
      registrar.provide(KeyStore, {
        persistent: true,
        find: id => keys.get(id),
        available: () => look(),
        add: key => void keys.set(key.id, key),
        update: () => false,
        list: () => [...keys.values()],
        page: () => [],
        remove: () => false,
        empty: () => keys.size === 0,
      })
    },
  })
  const { ask } = await stage(t, [alone, store({})])
  const status = async (path: string): Promise<number> => (await ask('GET', path)).status
  t.same([await status('/live'), await status('/ready')], [200, 200])
  look = () => false
  t.same([await status('/live'), await status('/ready')], [200, 503])
  look = () => {
    throw new TypeError('CANARY')
  }
  const failed = await ask('GET', '/ready')
  t.equal(failed.status, 500)
  t.notMatch(failed.text, /CANARY/)
})
