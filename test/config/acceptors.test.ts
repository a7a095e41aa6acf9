import { once } from 'node:events'
import { Agent, get, type ServerResponse } from 'node:http'
import { get as httpsGet } from 'node:https'
import { createServer, Server as NetServer } from 'node:net'
import { join } from 'node:path'
import { networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { ConfigError } from '../../config/errors.ts'
import { drain } from '../../config/drain.ts'
import { listen, type Listener } from '../../config/listen.ts'
import type { Gateway } from '../../core/gateway.ts'

const certificates = fileURLToPath(new URL('../fixtures/tls', import.meta.url))
const tls = { cert: join(certificates, 'cert.pem'), key: join(certificates, 'key.pem'), passphrase: 'demo-passphrase' }
const hasIpv6 = Object.values(networkInterfaces()).some(each => each?.some(({ address }) => address === '::1'))

const gateway = {
  http: { listener: (_: unknown, response: ServerResponse) => response.end('ok') },
  connections: { count: 0, serveOn() {}, stop() {} },
  liveRuns: 0,
  stop: async () => {},
} as unknown as Gateway

async function open(t: Test, options: Partial<Parameters<typeof listen>[1]> = {}): Promise<Listener> {
  const listener = await listen(gateway, { host: '127.0.0.1', port: 0, ...options })
  t.teardown(() => {
    listener.server.closeAllConnections()
    for (const acceptor of listener.acceptors) NetServer.prototype.close.call(acceptor)
  })
  return listener
}

async function status(url: string, agent: Agent | false = false): Promise<number> {
  const sent = url.startsWith('https') ? httpsGet(url, { agent: false, rejectUnauthorized: false }) : get(url, { agent })
  const [reply] = await once(sent, 'response')
  reply.resume()
  await once(reply, 'end')
  return reply.statusCode
}

for (const [name, options, skip] of [
  ['HTTP', {}, false],
  ['HTTPS', { tls }, false],
  ['IPv6', { host: '::1' }, !hasIpv6 && 'no IPv6 here'],
  ['every interface', { host: '0.0.0.0' }, false],
] as const)
  t.test(`${name}: a burst of connections is served, and a drain ends all that accept`, { skip }, async t => {
    const listener = await open(t, options)
    t.ok(listener.acceptors.length > 1 || process.platform !== 'linux')
    const statuses = await Promise.all(Array.from({ length: 200 }, () => status(listener.url)))
    t.ok(statuses.every(status => status === 200))
    await drain(gateway, listener, 5_000)
    await t.rejects(status(listener.url), { code: 'ECONNREFUSED' })
    const next = createServer().listen(listener.port, listener.host)
    await once(next, 'listening')
    next.close()
  })

t.test('a port is for one gateway', async t => {
  const first = await open(t)
  const { port } = first
  const refused = { name: ConfigError.name, message: new RegExp(`127\\.0\\.0\\.1:${port}: the port is in use`) }
  await t.rejects(listen(gateway, { host: '127.0.0.1', port }), refused)
  await t.rejects(listen(gateway, { host: '127.0.0.1', port, tls }), refused)
  for (let count = 0; count < 20; count++) t.equal(await status(first.url), 200, 'the first goes on')

  const sharing = createServer().listen({ port: 0, host: '127.0.0.1', reusePort: process.platform === 'linux' })
  await once(sharing, 'listening')
  t.teardown(() => sharing.close())
  const taken = (sharing.address() as { readonly port: number }).port
  await t.rejects(listen(gateway, { host: '127.0.0.1', port: taken }), { message: /the port is in use/ }, 'even if it would be shared')
})

t.test('a drain waits for the connections of all that accept', async t => {
  const listener = await open(t)
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  await Promise.all(Array.from({ length: 100 }, () => status(listener.url, agent)))
  const sockets = Object.values(agent.freeSockets).flatMap(sockets => sockets ?? [])
  t.equal(sockets.length, 100)
  const closed = Promise.all(sockets.map(socket => once(socket, 'close')))
  await drain(gateway, listener, 60_000)
  // Here, one hears a moment later that the other side has closed.
  await closed
})

t.test('where handles cannot share a port, there is one', async t => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!
  Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' })
  try {
    const listener = await open(t)
    t.same(listener.acceptors, [listener.server])
    t.equal(await status(listener.url), 200)
    await drain(gateway, listener, 1_000)
    await t.rejects(status(listener.url), { code: 'ECONNREFUSED' })
  } finally {
    Object.defineProperty(process, 'platform', platform)
  }
})
