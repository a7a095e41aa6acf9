import type { lookup } from 'node:dns'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import t from 'tap'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import { isPrivateAddress } from '../../../core/upstream/private-address.ts'
import { Proxies } from '../../../core/upstream/proxies.ts'
import { PublicConnections } from '../../../core/upstream/public-connections.ts'
import { request } from '../../../core/upstream/agent.ts'
import { discard } from '../../../core/upstream/discard.ts'
import { connectProxy } from './connect-proxy.ts'

const { signal } = new AbortController()
let asked = 0
const server = createServer((_, reply) => {
  asked++
  reply.end('secret')
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
t.teardown(() => (server.closeAllConnections(), server.close()))
const { port } = server.address() as AddressInfo

t.test('a client that calls public addresses only', async t => {
  const http = new UndiciClient()
  t.teardown(() => http.close())
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0', '169.254.169.254', 'a.localhost']) {
    const sending = http.send({ method: 'POST', url: `http://${host}:${port}/`, headers: {}, body: '{}' }, { signal, publicOnly: true })
    const error = await sending.catch((thrown: unknown) => thrown)
    // Some systems do not know names below `localhost`.
    t.ok(isPrivateAddress(error) || host === 'a.localhost', host)
  }
  t.equal(asked, 0)
  const reply = await http.send({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} }, { signal })
  discard(reply.body)
  t.equal(asked, 1, 'other calls reach any address')
})

t.test('a name that changes between two look-ups is checked each time', async t => {
  const answers = ['192.0.2.1', '127.0.0.1']
  const table = (_: string, __: unknown, callback: (error: null, found: { address: string; family: number }[]) => void): void =>
    callback(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }])
  const connections = new PublicConnections({ connectTimeoutMs: 1_000, proxies: undefined, lookup: table as unknown as typeof lookup })
  t.teardown(() => connections.close())
  const before = asked
  for (let call = 0; call < 3; call++) {
    const { agent, origin } = await connections.to(new URL(`http://mcp.example.com:${port}/`), signal)
    const error = await request(agent, { origin, path: '/', method: 'GET', signal }).catch((thrown: unknown) => thrown)
    t.ok(isPrivateAddress(error))
  }
  t.equal(asked, before)
})

t.test('a stranger that sends informational replies without end', async t => {
  const early = 'HTTP/1.1 103 Early Hints\r\n\r\n'
  let count = 20
  const stranger = createTcpServer(socket => {
    const more = (): void => void (socket.destroyed || socket.write(early, () => setImmediate(more)))
    socket
      .on('error', () => {})
      .once('data', () => (count < Infinity ? socket.end(`${early.repeat(count)}HTTP/1.1 204 No Content\r\n\r\n`) : more()))
  })
  await new Promise<void>(resolve => stranger.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void stranger.close())
  const proxy = await connectProxy((stranger.address() as AddressInfo).port)
  t.teardown(() => proxy.close())
  const http = new UndiciClient({ proxies: Proxies.of({ http_proxy: proxy.url }) })
  t.teardown(() => http.close())
  const send = async (): Promise<number> => {
    const reply = await http.send({ method: 'POST', url: 'http://1.1.1.1/', headers: {}, body: '{}' }, { signal, publicOnly: true })
    discard(reply.body)
    return reply.status
  }
  t.equal(await send(), 204)
  count = Infinity
  t.match(await send().catch((thrown: unknown) => thrown), { kind: 'network' })
})
