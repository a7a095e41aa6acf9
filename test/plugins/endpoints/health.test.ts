import t from 'tap'
import { listeningGateway } from '../../gateway.ts'

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
