import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import t, { type Test } from 'tap'
import { ConfigError } from '../../../config/errors.ts'
import type { Fixed } from '../../../config/workers/messages.ts'
import { Sockets } from '../../../config/workers/sockets.ts'

const fixed: Fixed = { host: '127.0.0.1', port: 0, workers: 2, isHttps: false }

async function open(t: Test, more: Partial<Fixed> = {}): Promise<Sockets> {
  const sockets = await Sockets.open({ ...fixed, ...more })
  t.teardown(() => sockets.close())
  return sockets
}

async function listening(t: Test, options: object): Promise<number> {
  const server: Server = createServer().listen({ port: 0, host: '127.0.0.1', ...options })
  t.teardown(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

t.test('each worker gets as many sockets as the others', async t => {
  for (const workers of [2, 3, 7]) t.equal((await open(t, { workers })).numbers.length % workers, 0)
  const withAdmin = await open(t, { admin: { host: '127.0.0.1', port: 0 } })
  t.ok(withAdmin.names.includes('admin'))
  t.notOk(withAdmin.numbers.includes('admin' as never))
  t.ok(withAdmin.place.admin!.port > 0)
})

t.test('where sockets cannot share a port, there is one', async t => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!
  Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' })
  try {
    t.same((await open(t)).names, [0])
  } finally {
    Object.defineProperty(process, 'platform', platform)
  }
})

t.test('a port is for one gateway, even if the other one would share it', async t => {
  for (const options of [{}, { reusePort: process.platform === 'linux' }]) {
    const port = await listening(t, options)
    const message = new RegExp(`Cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use`)
    await t.rejects(Sockets.open({ ...fixed, port }), { name: ConfigError.name, message })
    const admin = { host: '127.0.0.1', port }
    await t.rejects(Sockets.open({ ...fixed, admin }), { name: ConfigError.name, message: /in use.*--admin-port/ })
  }
})

t.test('an address that this machine does not have is named', async t => {
  await t.rejects(Sockets.open({ ...fixed, host: '192.0.2.1' }), { message: /192\.0\.2\.1:0: this machine does not have that address/ })
})
