import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { adminAddress } from '../../config/listen-admin.ts'
import { adminFailure, publicFailure } from '../../config/listen-failure.ts'
import { loadConfig } from '../../config/load.ts'
import { launchOf, overrideOf } from '../../config/workers/start-options.ts'
import { config, Workplace } from '../kit/turnpike-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'turnpike-addresses-'))
t.teardown(() => rmSync(folder, { recursive: true }))
let files = 0

/** A config with this text as `server`. */
function withServer(server: string): string {
  const path = join(folder, `config-${++files}.mjs`)
  writeFileSync(path, `export default { server: ${server}, plugins: [] }`)
  return path
}

t.test('a wrong server.admin says what was expected and what came', async t => {
  const expected = 'server.admin must be false or an object of host, port, hosts, trustedProxies, got'
  for (const [admin, problem] of [
    ['8081', `${expected} 8081`],
    [`'8081'`, `${expected} "8081"`],
    [`'false'`, `${expected} "false"`],
    ['true', `${expected} true`],
    ['null', `${expected} null`],
    ['[8081]', `${expected} [8081]`],
    [`{ port: 'x' }`, 'server.admin.port must be an integer, got "x"'],
    [`{ port: '8081' }`, 'server.admin.port must be an integer, got "8081"'],
    ['{ port: 80.5 }', 'server.admin.port must be an integer, got 80.5'],
    ['{ port: 65536 }', 'server.admin.port must be at most 65535, got 65536'],
    ['{ port: { number: 8081 } }', 'server.admin.port must be an integer, got an object'],
    ['{ prot: 8081 }', 'unknown option server.admin.prot; did you mean port?'],
    [`{ hosts: 'gateway.example.com' }`, 'server.admin.hosts must be an array, got "gateway.example.com"'],
    [
      `{ host: 'http://x' }`,
      'server.admin.host must be an IP address or a host name, such as 127.0.0.1, :: or localhost (IPv6 without brackets), got "http://x"',
    ],
  ] as const)
    t.same((await loadConfig(withServer(`{ admin: ${admin} }`))).problems, [problem], admin)
  for (const admin of ['{}', 'undefined', 'false', '{ port: 0 }'])
    t.same((await loadConfig(withServer(`{ admin: ${admin} }`))).problems, [], admin)
})

t.test('the command line replaces a part of server.admin', async t => {
  const override = overrideOf({ port: 9080, adminPort: 9081 })
  t.same(override, { port: 9080, admin: { port: 9081 } })
  const own = await loadConfig(withServer(`{ admin: { host: '127.0.0.2', port: 8081, hosts: ['gateway.example.com'] } }`), override)
  t.match(own.server, { port: 9080, admin: { host: '127.0.0.2', port: 9081, hosts: ['gateway.example.com'] } })
  const without = await loadConfig(withServer('undefined'), overrideOf({ adminHost: '127.0.0.3' }))
  t.same(adminAddress(without.server), { host: '127.0.0.3', port: 8081 })

  const off = await loadConfig(withServer('{ admin: false }'), override)
  t.match(off.problems, [/^server\.admin is false, so there is no address that --admin-host and --admin-port could change\./])
  t.match((await loadConfig(withServer('{ admin: 5 }'), override)).problems, [/^server\.admin must be .*, got 5$/])
  t.same(overrideOf({ workers: 2 }), { workers: 2 })
})

t.test('workers get the options of their parent', async t => {
  const { options } = launchOf('a.ts', overrideOf({ host: '0.0.0.0', port: 1, workers: 2, adminHost: '127.0.0.2', adminPort: 0 }), {})
  const given = {
    '--config': 'a.ts',
    '--host': '0.0.0.0',
    '--port': '1',
    '--workers': '2',
    '--admin-host': '127.0.0.2',
    '--admin-port': '0',
  }
  t.same(options, Object.entries(given).flat())
})

t.test('an address that cannot be had names the ways to another one', async t => {
  const because = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code })
  for (const [error, messages] of [
    [publicFailure('127.0.0.1', 8080, because('EADDRINUSE')), ['--port 8090', 'server: { port: 8090 }', '--admin-port']],
    [
      adminFailure('127.0.0.1', 8081, because('EADDRINUSE')),
      ['--admin-port 8091', 'server: { admin: { port: 8091 } }', 'server: { admin: false }'],
    ],
    [publicFailure('0.0.0.0', 80, because('EACCES')), ['0.0.0.0:80', '--port 8080', 'server.port', 'CAP_NET_BIND_SERVICE']],
    [adminFailure('::', 81, because('EACCES')), ['[::]:81', '--admin-port 8081', 'server.admin.port']],
    [publicFailure('192.0.2.1', 8080, because('EADDRNOTAVAIL')), ['does not have that address', '--host', 'server.host']],
    [adminFailure('192.0.2.1', 8081, because('EADDRNOTAVAIL')), ['--admin-host', 'server.admin.host']],
    [publicFailure('gateway.example.com', 8080, because('ENOTFOUND')), ['the name gateway.example.com has no address here', '--host']],
  ] as const)
    for (const message of messages) t.ok(error.message.includes(message), `${error.message} says ${message}`)
})

t.test('a second gateway is told how to move its admin port, and that works', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const workplace = new Workplace(config(`admin: { port: ${port} }`))
  t.teardown(() => {
    taken.close()
    workplace.remove()
  })
  const refused = await workplace.run('start')
  t.equal(refused.exitCode, 1)
  t.match(
    refused.stderr,
    new RegExp(`Cannot listen on 127\\.0\\.0\\.1:${port} for the admin API: the port is in use.*--admin-port \\d+, or server: `),
  )
  const gateway = workplace.spawn(['start', '--admin-port', '0', '--admin-host', '127.0.0.2'])
  await gateway.says(/The admin API is on http:\/\/127\.0\.0\.2:\d+/)
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
})
