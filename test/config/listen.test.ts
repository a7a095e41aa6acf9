import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { get as httpsGet } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { listen } from '../../config/listen.ts'
import type { Gateway } from '../../core/gateway.ts'
import { checkStream } from '../../core/testing/index.ts'
import { Workplace } from '../kit/turnpike-process.ts'

const certificates = fileURLToPath(new URL('../fixtures/tls', import.meta.url))

function config(server: string): string {
  return `
    import { defineConfig, defaults } from 'turnpike/config'
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0, ${server} }, plugins: defaults({ without: ['ollama'] }) })`
}

t.test('both listeners keep idle connections longer than load balancers do', async t => {
  const workplace = new Workplace(config('admin: { port: 0 }'))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const [, adminUrl] = await gateway.says(/admin API is on (http:\S+)/)
  for (const url of [await gateway.url(), adminUrl!]) {
    const reply = await fetch(url)
    t.equal(reply.headers.get('keep-alive'), 'timeout=75')
    await reply.text()
  }
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
})

t.test('npm start passes SIGTERM on to the gateway', async t => {
  const workplace = new Workplace(config('admin: { port: 0 }'))
  t.teardown(() => workplace.remove())
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const npm = spawn('npm', ['start', '--', '--config', join(workplace.path, 'gateway.config.ts')], {
    cwd: root,
    // Its own process group, so no child outlives this test.
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.teardown(() => killGroup(npm.pid!))
  let said = ''
  npm.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text))
  while (!/listens on/.test(said)) await once(npm.stdout, 'data')
  npm.kill('SIGTERM')
  // Not while the gateway holds the other end of its output.
  await once(npm, 'close')
  t.ok(npm.stdout.readableEnded)
})

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

t.test('HTTPS is served with the certificate that lies beside the config', async t => {
  const workplace = new Workplace(config(`tls: { cert: './cert.pem', key: './key.pem', passphrase: 'demo-passphrase' }`))
  t.teardown(() => workplace.remove())
  cpSync(certificates, workplace.path, { recursive: true })
  const environment = { GATEWAY_ADMIN_TOKEN: 'demo-admin-token-of-at-least-32-characters' }
  const gateway = workplace.spawn(['start'], [], environment)
  const [, url] = await gateway.says(/listens on (https:\S+)/)
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    httpsGet(`${url}/v1/responses/health`, { rejectUnauthorized: false, agent: false }, resolve).once('error', reject)
  })
  t.equal(reply.statusCode, 200)
  await text(reply)
  t.match(await gateway.says(/curl .*/), [/curl -N https:\/\//])
  const [, adminUrl = ''] = await gateway.says(/admin API is on (https:\S+)/)
  const list = async (more: Readonly<Record<string, string>>) =>
    await workplace.spawn(['keys', 'list', '--json', '--url', adminUrl], [], { ...environment, ...more }).finished
  t.match(await list({}), { exitCode: 1, stderr: /does not answer \(\w*CERT\w*\)\. Its certificate is not trusted\..*NODE_EXTRA_CA_CERTS/ })
  const listed = await list({ NODE_EXTRA_CA_CERTS: join(workplace.path, 'cert.pem') })
  t.match([listed.stderr, JSON.parse(listed.stdout || 'null')], ['', [{ name: 'first' }]])
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)

  for (const [tls, message] of [
    [`{ cert: './no.pem', key: './key.pem' }`, /server\.tls\.cert: .*no\.pem cannot be read/],
    [
      `{ cert: './cert.pem', key: './key.pem', passphrase: 'other-words' }`,
      /server\.tls: .*cert\.pem and .*key\.pem cannot be used together/,
    ],
    [`{ cert: './cert.pem' }`, /server\.tls\.key is missing/],
    [
      `{ cert: './cert.pem', key: './key.pem', passphras: 'other-words' }`,
      /unknown option server\.tls\.passphras; did you mean passphrase\?/,
    ],
    [`{ cert: './cert.pem', passphrase: ['other-words'] }`, /server\.tls/],
  ] as const) {
    workplace.write(config(`tls: ${tls}`))
    const { exitCode, stderr } = await workplace.run('start')
    t.equal(exitCode, 1)
    t.match(stderr, message)
    t.notMatch(stderr, /other-words/, 'the passphrase is not told')
  }
})

t.test('a drain resets no connection that clients keep alive, and tells each of them to go', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)

  const exchange = (agent: Agent, body: object): Promise<{ readonly reply: IncomingMessage; readonly read: Promise<string> }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      httpRequest(`${url}/v1/responses`, { method: 'POST', headers, agent })
        .once('error', reject)
        .once('response', reply => resolve({ reply, read: text(reply) }))
        .end(JSON.stringify(body))
    })

  /** Asks again and again on one connection, until an answer says that it closes. */
  const caller = async (body: object, begun: () => void): Promise<'told to go' | 'refused'> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      for (;;) {
        const { reply, read } = await exchange(agent, body)
        begun()
        const answer = await read
        t.equal(reply.statusCode, 200)
        if ('stream' in body) checkStream(answer)
        if (reply.headers.connection === 'close') return 'told to go'
      }
    } catch (error) {
      // Who was quiet for so long that its connection was closed asks on a new one, which nobody takes.
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return 'refused'
      throw error
    } finally {
      agent.destroy()
    }
  }

  const bodies = [
    { model: 'sandbox/echo', input: 'hi' },
    { model: 'sandbox/echo', input: 'hi', stream: true },
    { model: 'sandbox/slow', input: 'first 20 between 5 pieces 10', stream: true },
    { model: 'sandbox/slow', input: 'first 200 between 0 pieces 1' },
  ]
  const callers = Array.from({ length: 80 }, (_, index) => {
    const begun = Promise.withResolvers<void>()
    return { begun: begun.promise, done: caller(bodies[index % bodies.length]!, begun.resolve) }
  })
  const outcomes = Promise.allSettled(callers.map(({ done }) => done))
  await Promise.all(callers.map(({ begun, done }) => Promise.race([begun, done])))
  gateway.signal('SIGTERM')
  const all = (await outcomes).map(outcome => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason)))
  t.same(
    all.filter(outcome => outcome !== 'told to go' && outcome !== 'refused'),
    [],
    'no request failed',
  )
  t.ok(all.includes('told to go'))
  t.equal((await gateway.finished).exitCode, 0)
})

t.test('a drain closes connections on which nothing is asked', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const agent = new Agent({ keepAlive: true })
  const ended = new Promise<void>((resolve, reject) => {
    httpRequest(`${url}/v1/responses/health`, { agent }, reply => {
      reply.socket.once('error', reject).once('close', resolve)
      reply.resume()
    }).end()
  })
  await once(agent, 'free')
  gateway.signal('SIGTERM')
  await t.resolves(ended)
  t.equal((await gateway.finished).exitCode, 0)
})

t.test('little waits in a connection for a client that does not read', async t => {
  const http = { listener: (_: IncomingMessage, response: ServerResponse) => response.end('ok') }
  const tls = { cert: join(certificates, 'cert.pem'), key: join(certificates, 'key.pem'), passphrase: 'demo-passphrase' }
  for (const [event, options] of [
    ['connection', {}],
    ['secureConnection', { tls }],
  ] as const) {
    const { server, acceptors, url } = await listen({ http, connections: { serveOn() {} } } as unknown as Gateway, {
      host: '127.0.0.1',
      port: 0,
      ...options,
    })
    t.teardown(() => acceptors.forEach(acceptor => acceptor.close()))
    const connected = once(server, event) as Promise<[Socket]>
    const asked = 'tls' in options ? httpsGet(url, { rejectUnauthorized: false, agent: false }) : httpRequest(url, { agent: false }).end()
    asked.on('response', reply => reply.resume())
    const [socket] = await connected
    t.equal(socket.writableHighWaterMark, 16 * 1024, event)
    await once(asked, 'close')
  }
})
