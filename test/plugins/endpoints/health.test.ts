import t from 'tap'
import { definePlugin } from '../../../core/index.ts'
import { KeyStore, type ApiKey } from '../../../core/stores.ts'
import { listeningGateway } from '../../kit/gateway.ts'

t.test('health answers without a key, with an empty body and no record', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  for (const path of ['/v1/responses/health', '/v1/responses/health/']) {
    const reply = await fetch(`${under.url}${path}`)
    t.equal(reply.status, 200)
    t.equal(reply.headers.get('content-type'), 'application/json')
    t.equal(reply.headers.get('content-length'), '0')
    t.equal(await reply.text(), '')
    const wrongKey = await fetch(`${under.url}${path}`, { headers: { authorization: 'Bearer nonsense' } })
    t.equal(wrongKey.status, 200, 'whatever key is sent')
    await wrongKey.text()
  }
  await (await fetch(`${under.url}/v1/models`)).text()
  t.match(await under.recorded(1), [{ path: '/v1/models', status: 401 }])
  t.equal(under.records.length, 1)
})

t.test('health is a 503 while keys cannot be answered', async t => {
  let isUp = true
  const store = definePlugin({
    name: 'failing-keys',
    options: { type: 'object', additionalProperties: false, properties: {} },
    provides: [KeyStore],
    setup(registrar) {
      const keys = new Map<string, ApiKey>()
      registrar.provide(KeyStore, {
        persistent: true,
        find: id => keys.get(id),
        available: () => isUp,
        add: key => void keys.set(key.id, key),
        update: () => false,
        list: () => [...keys.values()],
        page: () => [],
        remove: () => false,
        empty: () => keys.size === 0,
      })
    },
  })
  const under = await listeningGateway({ plugins: [store({})] })
  t.teardown(under.stop)
  const status = async (): Promise<number> => (await fetch(`${under.url}/v1/responses/health`)).status
  t.equal(await status(), 200)
  isUp = false
  t.equal(await status(), 503)
  isUp = true
  t.equal(await status(), 200)
})

t.test('health is a 503 with retry-after once the gateway is about to stop, and requests are still served', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  under.gateway.leave()
  for (const method of ['GET', 'HEAD']) {
    const reply = await fetch(`${under.url}/v1/responses/health`, { method })
    t.equal(reply.status, 503, method)
    t.equal(reply.headers.get('retry-after'), '1')
    t.match(await reply.text(), method === 'GET' ? /"The gateway is about to stop\. Send requests to another one\."/ : /^$/)
  }
  const headers = { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sandbox/echo', input: 'hi' })
  const answer = await fetch(`${under.url}/v1/responses`, { method: 'POST', headers, body })
  t.match([answer.status, ((await answer.json()) as { readonly status: string }).status], [200, 'completed'])
  t.notMatch(under.logs.join('\n'), /"level":"error"/, 'failing health checks are no failures')
})
