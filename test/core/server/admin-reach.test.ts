import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { AdminHosts } from '../../../core/admin.ts'
import { sourceOf, networks, type AdminReach } from '../../../core/server/admin/reach.ts'
import { adminGateway } from '../../kit/admin-gateway.ts'
import { adding } from '../../kit/stage.ts'

/** Asks over a socket, with this Host header. `localAddress` is that of the client. */
async function stage(t: Test, reach?: AdminReach, listenOn = '127.0.0.1') {
  const under = await adminGateway({ plugins: [adding(AdminHosts, { name: 'login.example.com' })] })
  t.teardown(under.stop)
  const server = createServer(under.gateway.admin!.listener(reach)).listen(0, listenOn)
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const token = under.gateway.admin!.localToken
  const get = async (host: string, headers: Record<string, string> = {}) => {
    const asked = send({ host: listenOn, port, path: '/admin/v1/keys', headers: { host, authorization: `Bearer ${token}`, ...headers } })
    asked.end()
    const [reply] = await once(asked, 'response')
    let text = ''
    for await (const chunk of reply) text += chunk
    return { status: reply.statusCode as number, body: JSON.parse(text) }
  }
  return { get, port }
}

t.test('the admin listener answers only under hosts that it knows', async t => {
  const { get, port } = await stage(t, { hosts: ['Gateway.example.com', '192.0.2.1', '2001:db8::1'], trustedProxies: [] })
  for (const host of [
    'localhost',
    `LOCALHOST:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port}`,
    'gateway.example.com',
    'gateway.EXAMPLE.com:443',
    'login.example.com',
    '192.0.2.1:81',
    '[2001:db8::1]:81',
  ])
    t.equal((await get(host)).status, 200, host)
  for (const host of [
    'evil.example.com',
    '127.0.0.2',
    '[::1]',
    'localhost.example.com',
    'gateway.example.com.',
    'a@localhost',
    'x, localhost',
  ]) {
    const { status, body } = await get(host, { 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' })
    t.equal(status, 421, host)
    t.match(body, { error: { code: 'misdirected_request', message: /add the name to server\.admin\.hosts/ } })
  }
})

t.test('the address of a connection over IPv6 is known', async t => {
  const { get, port } = await stage(t, undefined, '::1')
  for (const host of [`[::1]:${port}`, '[::1]', 'localhost']) t.equal((await get(host)).status, 200, host)
  t.equal((await get('127.0.0.1')).status, 421)
})

t.test('a trusted proxy says where a request comes from', async t => {
  const trusted = networks(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'])
  for (const [connected, forwarded, source] of [
    ['192.0.2.7', '198.51.100.1', '192.0.2.7'],
    ['127.0.0.1', null, '127.0.0.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '203.0.113.9, 198.51.100.1, 10.2.3.4', '198.51.100.1'],
    ['127.0.0.1', 'nonsense', '127.0.0.1'],
    ['2001:db8::5', '2001:db9::1', '2001:db9::1'],
    [undefined, '198.51.100.1', undefined],
  ] as const)
    t.equal(sourceOf(connected, forwarded, trusted), source, `${connected} ${forwarded}`)
})

t.test('wrong tokens are counted by the address that a trusted proxy forwards', async t => {
  const { get } = await stage(t, { hosts: [], trustedProxies: ['127.0.0.0/8'] })
  const as = (address: string) => get('localhost', { authorization: 'Bearer wrong-token', 'x-forwarded-for': address })
  for (let tries = 0; tries < 10; tries++) t.equal((await as('192.0.2.1')).status, 401)
  t.equal((await as('192.0.2.1')).status, 429)
  t.equal((await as('192.0.2.2')).status, 401)
})
