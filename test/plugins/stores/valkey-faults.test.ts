import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Claim, SharedChange } from '../../../core/stores.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { member, type Member, type MemberOptions } from './valkey.ts'
import { freePort, noValkey, startValkey, type ValkeyServer, type ValkeyServerOptions } from './valkey-server.ts'

const skip = { skip: noValkey }
const password = 'open-sesame-secret'

async function server(t: Test, options?: ValkeyServerOptions): Promise<ValkeyServer> {
  const started = await startValkey(options)
  t.teardown(() => started.stop())
  return started
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 10) {
    if (waited > 15_000) throw new Error(`${what} did not come`)
    await sleep(10)
  }
}

const said = ({ logs }: Member): string => logs.join('\n')

function claimOf(amount: number, tokens = 100): Claim {
  return { group: 'acme', places: [], windows: [{ bucket: 'key:1', tokens, windowMs: 60_000, amount }] }
}

async function usedOf({ coordination }: Member): Promise<number> {
  const [state] = await coordination.states('acme', [{ bucket: 'key:1', tokens: 100, windowMs: 60_000 }])
  return state!.used
}

t.test('a server that is there later is used then', skip, async t => {
  const port = await freePort()
  const one = await member(t, { url: `valkey://127.0.0.1:${port}` })
  t.match(said(one), /cannot use Valkey at 127\.0\.0\.1:\d+, because nothing listens there\. Make sure that the server runs/)
  await t.rejects(one.coordination.claim(claimOf(1)), { name: 'Unreachable' }, 'nothing waits')
  await t.rejects(one.coordination.beat({}), { name: 'Unreachable' })
  one.state.publish({ map: 'm', key: 'early', value: 1, forMs: 60_000 })
  await server(t, { port })
  await until(() => one.connection.isReady, 'the server')
  t.match(said(one), /uses Valkey at 127\.0\.0\.1:\d+ again/)
  t.match(await one.coordination.claim(claimOf(1)), { windows: [{ used: 1 }] })
  const two = await member(t, { url: `redis://127.0.0.1:${port}` })
  const received: SharedChange[] = []
  await two.state.subscribe(change => void received.push(change))
  await until(() => received.some(({ key }) => key === 'early'), 'what was published before')
})

t.test('a wrong password, and no password', skip, async t => {
  const { port } = await server(t, { settings: ['--requirepass', password], password })
  const wrong = await member(t, { url: `redis://:wrong-${password}@127.0.0.1:${port}` })
  t.match(said(wrong), /because it does not accept user and password\. Correct username and password/)
  const none = await member(t, { url: `redis://127.0.0.1:${port}` })
  t.match(said(none), /because it wants a password/)
  const right = await member(t, { url: `redis://127.0.0.1:${port}`, password })
  t.ok(right.connection.isReady)
  t.notMatch([wrong, none, right].map(said).join(), /sesame/)
})

t.test('what something else writes where gateways tell each other is passed over', skip, async t => {
  const { ask, port } = await server(t)
  const url = `redis://127.0.0.1:${port}`
  const one = await member(t, { url })
  const two = await member(t, { url })
  const entry = JSON.stringify(['m', 'k'])
  const later = String(Date.now() + 60_000)
  for (const [index, text] of ['not JSON', `9 ${later} x {`, 'null', `9 ${later} x 1`].entries())
    await ask('HSET', 'turnpike:{shared}entries', index === 3 ? 'no list' : entry.replace('k', String(index)), text)
  one.state.publish({ map: 'm', key: 'stored', value: 1, forMs: 60_000 })
  await until(() => one.connection.isReady, 'the connection')
  const received: SharedChange[] = []
  await two.state.subscribe(change => void received.push(change))
  for (const message of ['', '{', 'null', '5', '{}', '[1]', '["x","1","[]","9","{"]', `["x","1",${JSON.stringify(entry)},"9","{"]`])
    await ask('PUBLISH', 'turnpike:{shared}changes', message)
  one.state.publish({ map: 'm', key: 'told', value: 2, forMs: 60_000 })
  await until(() => received.some(({ key }) => key === 'told'), 'a change')
  t.same(received.map(({ key }) => key).toSorted(), ['stored', 'told'])
  t.notMatch(said(two), /cannot use/)
  const closing = two.state.subscribe(() => {})
  two.close()
  await t.resolves(closing, 'a plugin that stops has nothing to say')
})

t.test('a user with only the permissions of the docs', skip, async t => {
  const { ask, port } = await server(t)
  const [, rules] = /^ACL SETUSER turnpike (.*)$/m.exec(readFileSync('docs/valkey.md', 'utf8'))!
  await ask('ACL', 'SETUSER', 'turnpike', ...rules!.replace('>change-this-password', `>${password}`).split(' '))
  const url = `redis://turnpike:${password}@127.0.0.1:${port}`
  const one = await member(t, { url })
  const two = await member(t, { url })
  const received: SharedChange[] = []
  await two.state.subscribe(change => void received.push(change))
  const { coordination } = one
  const place = { bucket: 'key:1', limit: 1, place: 'p' }
  await coordination.claim({ ...claimOf(5), places: [place] })
  await coordination.change(
    [{ group: 'acme', bucket: 'key:1', windowMs: 60_000, run: undefined, amount: 5 }],
    [
      { group: 'acme', bucket: 'key:1', place: 'p', isHeld: false },
      { group: 'acme', bucket: 'key:2', place: 'q', isHeld: true },
    ],
  )
  t.equal(await usedOf(one), 10)
  await coordination.beat({ requests: 1 })
  await two.coordination.beat({ requests: 2 })
  t.equal((await coordination.gauges()).length, 2)
  t.match(await coordination.exchange([{ name: 'a', counts: { n: 1 }, forMs: 1_000 }], undefined), { sums: [{ name: 'a' }] })
  one.state.publish({ map: 'm', key: 'k', value: 1, forMs: 60_000 })
  await until(() => received.length > 0, 'a change')
  await coordination.leave()
  const log = (await ask('ACL', 'LOG')) as unknown[]
  t.same(log, [], 'the server refused nothing')

  await ask('ACL', 'SETUSER', 'poor', 'on', `>${password}`, '~turnpike:*', '&turnpike:*', '+hello', '+eval', '+evalsha')
  const poor = await member(t, { url: `redis://poor:${password}@127.0.0.1:${port}` })
  t.match(said(poor), /because the user may not do it\. Give the user the permissions in docs\/valkey\.md/)
})

t.test('a replica, an eviction policy, full memory, a key of another type', skip, async t => {
  const { ask, url, port } = await server(t)
  await ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  const one = await member(t, { url })
  const warnings = (): number =>
    one.logs.filter(line => line.includes('because its maxmemory-policy is allkeys-lru. Set it to noeviction')).length
  t.equal(warnings(), 1)
  await one.coordination.claim(claimOf(1))

  await ask('SET', 'turnpike:{g:acme}p:odd', 'text')
  await t.rejects(one.coordination.claim({ group: 'acme', places: [{ bucket: 'odd', limit: 1, place: 'p' }], windows: [] }), /WRONGTYPE/)
  t.match(said(one), /because one of its keys has another type\. Choose another prefix/)
  await one.coordination.change(
    [{ group: 'acme', bucket: 'key:1', windowMs: 60_000, run: undefined, amount: 2 }],
    [{ group: 'acme', bucket: 'odd', place: 'p', isHeld: false }],
  )
  t.equal(await usedOf(one), 3, 'the rest of a batch is applied')

  await ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await ask('CONFIG', 'SET', 'maxmemory', '1')
  await t.rejects(one.coordination.claim({ ...claimOf(1), group: 'other' }), /OOM/)
  t.match(said(one), /because its memory is full\. Raise maxmemory/)
  await ask('CONFIG', 'SET', 'maxmemory', '0')

  const primary = await server(t)
  await ask('REPLICAOF', '127.0.0.1', String(primary.port))
  await t.rejects(one.coordination.beat({}))
  await until(() => said(one).includes('because it is a replica. Use the address of the primary'), 'the reason')
  await until(() => !one.connection.isReady, 'the end of the connection')
  await ask('REPLICAOF', 'NO', 'ONE')
  await until(() => one.connection.isReady, 'another connection')
  t.equal(warnings(), 1, 'the policy is warned of once')
  t.notMatch(said(one), new RegExp(`${port}[^]*acme`), 'no id is in the log')
})

t.test('TLS', skip, async t => {
  const folder = t.testdir()
  const file = (name: string): string => join(folder, name)
  const certificate = (name: string, subject: string, alternative: string): void => {
    const request = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${subject}`.split(' ')
    const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)]
    execFileSync('openssl', [...request, '-addext', `subjectAltName=${alternative}`, ...files], { stdio: 'ignore' })
  }
  certificate('server', 'localhost', 'DNS:localhost')
  certificate('gateway', 'gateway', 'DNS:gateway')
  const ca = readFileSync(file('server.pem'))
  const settings = ['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server.key'), '--tls-ca-cert-file', file('gateway.pem')]
  const open = await server(t, { tls: { ca }, settings: [...settings, '--tls-auth-clients', 'optional'] })

  const right = await member(t, { url: open.url }, { tls: { ca, serverName: 'localhost' } })
  t.match(await right.coordination.claim(claimOf(1)), { windows: [{ used: 1 }] })
  const wrong = async (reason: RegExp, url: string, options?: MemberOptions): Promise<void> =>
    void t.match(said(await member(t, { url }, options)), reason)
  await wrong(/its certificate is signed by itself\. Set tls\.ca/, open.url)
  await wrong(/its certificate is for another name\. Set tls\.ca/, open.url, { tls: { ca } })
  await wrong(/the connection was closed\. .* If the server has TLS, use rediss:\/\//, `redis://127.0.0.1:${open.port}`)
  const plain = await server(t)
  await wrong(/the connection was not made in time\. .* If the server has no TLS, use redis:\/\//, `valkeys://127.0.0.1:${plain.port}`)
  const own = { cert: readFileSync(file('gateway.pem')), key: readFileSync(file('gateway.key')) }
  t.ok((await member(t, { url: open.url }, { tls: { ca, serverName: 'localhost', ...own } })).connection.isReady)
})

t.test('an old server, which repeats what it got', async t => {
  const old = createServer(socket =>
    socket
      .on('error', () => {})
      .on('data', () =>
        socket.write(`-ERR unknown command \`HELLO\`, with args beginning with: \`3\`, \`AUTH\`, \`u\`, \`${password}\`, \r\n`),
      ),
  ).listen(0, '127.0.0.1')
  t.teardown(() => void old.close())
  await new Promise(resolve => old.once('listening', resolve))
  const one = await member(t, { url: `redis://u:${password}@127.0.0.1:${(old.address() as AddressInfo).port}` })
  t.match(said(one), /because it is too old, or lacks a command\. Use Valkey, or Redis 7 or newer/)
  t.notMatch(said(one), /sesame/)
})

t.test('a server that stalls, and goes on', skip, async t => {
  const { pid, url } = await server(t)
  const one = await member(t, { url }, { answerTimeoutMs: 300 })
  await one.coordination.beat({})
  process.kill(pid, 'SIGSTOP')
  t.teardown(() => process.kill(pid, 'SIGCONT'))
  const claims = Array.from({ length: 200 }, () => one.coordination.claim(claimOf(1, 1_000)))
  const outcomes = await Promise.allSettled(claims)
  t.ok(
    outcomes.every(({ status }) => status === 'rejected'),
    'none waits for ever',
  )
  t.match(said(one), /because it has not answered for 300 ms\. See what keeps it busy/)
  await t.rejects(one.coordination.claim(claimOf(1)), { name: 'Unreachable' })
  await sleep(1_200)
  process.kill(pid, 'SIGCONT')
  await until(() => one.connection.isReady, 'a connection')
  t.equal(await usedOf(one), 0, 'claims that nobody waits for take nothing')
})

t.test('a batch whose answer is lost is applied once', skip, async t => {
  const { port } = await server(t)
  const proxy = await cuttingProxy(port)
  t.teardown(() => proxy.close())
  const one = await member(t, { url: `redis://127.0.0.1:${proxy.port}` })
  await one.coordination.beat({})
  const { windows } = await one.coordination.claim(claimOf(50))
  const run = windows[0]!.run
  for (let round = 1; round <= 2; round++) {
    proxy.cutNextAnswer()
    await one.coordination.change([{ group: 'acme', bucket: 'key:1', windowMs: 60_000, run, amount: 1 }], [])
    await one.connection.ready(5_000)
    t.equal(await usedOf(one), 50 + round)
  }
  proxy.cutNextAnswer()
  const { sums } = await one.coordination.exchange([{ name: 'a', counts: { n: 3 }, forMs: 60_000 }], undefined)
  t.same(sums, [{ name: 'a', counts: { n: 3 } }])
  proxy.part()
  const late = one.coordination.change([{ group: 'acme', bucket: 'key:1', windowMs: 60_000, run, amount: 1 }], [])
  await sleep(300)
  proxy.join()
  await late
  t.equal(await usedOf(one), 53, 'a batch waits for a connection')
})

t.test('many batches at once, while connections break', skip, async t => {
  const { port } = await server(t)
  const proxy = await cuttingProxy(port)
  t.teardown(() => proxy.close())
  const one = await member(t, { url: `redis://127.0.0.1:${proxy.port}` })
  await one.coordination.beat({})
  const change = { group: 'acme', bucket: 'key:1', windowMs: 60_000, run: undefined, amount: 1 }
  let isOver = false
  let sent = 0
  const senders = Array.from({ length: 20 }, async () => {
    for (; !isOver; sent++) await one.coordination.change([change], [])
  })
  for (let cut = 0; cut < 4; cut++) {
    await until(() => one.connection.isReady, 'a connection')
    proxy.cutNextAnswer()
    await sleep(100)
  }
  isOver = true
  await Promise.all(senders)
  await until(() => one.connection.isReady, 'a connection')
  t.equal(await usedOf(one), sent, 'each is applied once')
})

t.test('a batch of before is not added to what a server counts that lost everything', skip, async t => {
  const valkey = await server(t)
  const proxy = await cuttingProxy(valkey.port)
  t.teardown(() => proxy.close())
  const one = await member(t, { url: `redis://127.0.0.1:${proxy.port}` })
  const { generation } = await one.coordination.beat({})
  proxy.part()
  const late = one.coordination.change([{ group: 'acme', bucket: 'key:1', windowMs: 60_000, run: undefined, amount: 10 }], [])
  const refused = t.rejects(late)
  await valkey.kill()
  await valkey.restart()
  proxy.join()
  await refused
  t.not((await one.coordination.beat({})).generation, generation)
  t.equal(await usedOf(one), 0)
})

t.test('a restart with all data is not a loss, and places come back', skip, async t => {
  const valkey = await server(t, { settings: ['--appendonly', 'yes', '--appendfsync', 'always'] })
  const one = await member(t, { url: valkey.url })
  const { generation } = await one.coordination.beat({})
  await one.coordination.claim({ ...claimOf(7), places: [{ bucket: 'key:1', limit: 1, place: 'p' }] })
  await valkey.kill()
  await valkey.restart()
  await one.connection.ready(10_000)
  t.equal((await one.coordination.beat({})).generation, generation)
  t.equal(await usedOf(one), 7)
  await valkey.ask('FLUSHALL')
  t.not((await one.coordination.beat({})).generation, generation)
  await one.coordination.change([], [{ group: 'acme', bucket: 'key:1', place: 'p', isHeld: true }])
  const other = { bucket: 'key:1', limit: 1, place: randomUUID() }
  t.match(await one.coordination.claim({ group: 'acme', places: [other], windows: [] }), { fullPlace: 'key:1' })
})

t.test('a gateway that was cut off learns what it missed', skip, async t => {
  const { port, url } = await server(t)
  const proxy = await cuttingProxy(port)
  t.teardown(() => proxy.close())
  const one = await member(t, { url })
  const two = await member(t, { url: `redis://127.0.0.1:${proxy.port}` })
  const known = new Map<string, unknown>()
  await two.state.subscribe(({ key, value, forMs }) => void (forMs > 0 ? known.set(key, value) : known.delete(key)))
  one.state.publish({ map: 'm', key: 'ends', value: 1, forMs: 60_000 })
  await until(() => known.has('ends'), 'a change')
  proxy.part()
  await until(() => !two.connection.isReady, 'the break')
  one.state.publish({ map: 'm', key: 'ends', forMs: 0 })
  one.state.publish({ map: 'm', key: 'new', value: 2, forMs: 60_000 })
  two.state.publish({ map: 'm', key: 'own', value: 3, forMs: 60_000 })
  proxy.join()
  await until(() => known.has('new') && !known.has('ends'), 'what was missed')
  t.notOk(known.has('own'), 'but not what is its own')
  const late: string[] = []
  await one.state.subscribe(({ key }) => void late.push(key))
  await until(() => late.includes('own'), 'what the other one published meanwhile')
})
