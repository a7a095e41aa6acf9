import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import prometheus from '../../../plugins/telemetry/prometheus/index.ts'
import { adminGateway } from '../../kit/admin-gateway.ts'
import { listeningGateway } from '../../kit/gateway.ts'
import { scrape } from '../../kit/scraped.ts'

const token = 'demo-token-for-metrics'
const bearer = (text: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${text}` })

t.test('an admin token for all organizations reads metrics, and nothing else does', async t => {
  const under = await adminGateway({ plugins: [prometheus({})] })
  t.teardown(under.stop)
  for (const role of ['viewer', 'editor', 'owner'] as const) t.equal((await scrape(under, bearer(await under.token(role)))).status, 200)
  t.equal((await scrape(under)).status, 401)
  t.equal((await scrape(under, bearer('ta_000000000000_0'))).status, 401)
  t.equal((await scrape(under, bearer(under.apiKey))).status, 401)
  await under.call('POST', '/orgs', { id: 'demo-org', name: 'Demo' })
  t.equal((await scrape(under, bearer(await under.token('owner', 'demo-org')))).status, 403)
})

t.test('a token of its own reads metrics, and so do admin tokens for all organizations', async t => {
  const under = await adminGateway({ plugins: [prometheus({ token })] })
  t.teardown(under.stop)
  t.equal((await scrape(under, bearer(token))).status, 200)
  t.equal((await scrape(under, bearer(await under.token('viewer')))).status, 200)
  t.equal((await scrape(under)).status, 401)
  for (const wrong of [`${token}x`, token.slice(1), 'x', under.apiKey]) {
    const { status, text } = await scrape(under, bearer(wrong))
    t.equal(status, 401, wrong)
    t.notMatch(text, token)
  }
  await under.call('POST', '/orgs', { id: 'demo-org', name: 'Demo' })
  t.equal((await scrape(under, bearer(await under.token('owner', 'demo-org')))).status, 403)
  t.equal((await under.call('GET', '/providers', undefined, token)).status, 401, 'it is for nothing else')
  t.notMatch(JSON.stringify((await under.call('GET', '/config')).body), token)
})

t.test('whoever tries many wrong tokens from one address has to wait', async t => {
  const under = await adminGateway({ plugins: [prometheus({ token })] })
  const server = createServer(under.gateway.admin!.listener())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
    await under.stop()
  })
  const ask = async (text: string): Promise<number> => {
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`, { headers: bearer(text) })
    await reply.text()
    return reply.status
  }
  const statuses = []
  for (let tries = 0; tries < 12; tries++) statuses.push(await ask(`${token}${String(tries).padStart(2, '0')}`))
  t.same(
    statuses.slice(0, 10),
    Array.from({ length: 10 }, () => 401),
  )
  t.same(statuses.slice(10), [429, 429])
  t.equal(await ask(token), 200, 'the right one works')
})

t.test('an open listener asks for no token', async t => {
  const under = await adminGateway({ plugins: [prometheus({ open: true })] })
  t.teardown(under.stop)
  t.equal((await scrape(under)).status, 200)
  t.equal((await scrape(under, bearer('anything'))).status, 200)
})

t.test('the public listener has no metrics', async t => {
  const under = await listeningGateway({ plugins: [prometheus({ open: true })] })
  t.teardown(under.stop)
  for (const path of ['/metrics', '/metrics/', '/v1/metrics']) {
    const reply = await fetch(`${under.url}${path}`, { headers: bearer(under.apiKey) })
    t.equal(reply.status, 404, path)
    t.notMatch(await reply.text(), /turnpike_/)
  }
})

t.test('both a token and an open listener are a contradiction', async t => {
  await t.rejects(adminGateway({ plugins: [prometheus({ token, open: true })] }), /plugin prometheus has both `token` and `open`/)
  await t.rejects(adminGateway({ plugins: [prometheus({ token: 'short' })] }), /token/)
})
