import t, { type Test } from 'tap'
import { defaults } from '../../../config/defaults.ts'
import type { PluginUse } from '../../../core/index.ts'
import { fakeUpstream } from '../../../core/testing/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import valkey from '../../../plugins/stores/valkey/index.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { freePort, noValkey, startValkey } from './valkey-server.ts'

const skip = { skip: noValkey }
const password = 'canary-password-CANARY'
const prompt = 'prompt-canary-CANARY'
const answer = 'answer-canary-CANARY'
const vendorSecret = 'sk-canary-vendor-CANARY'

/** A vendor that is at its limit once `isFull`, and quotes everything that it should not. */
async function vendor(t: Test): Promise<{ isFull: boolean; readonly use: PluginUse }> {
  const state = { isFull: false }
  const upstream = await fakeUpstream(() =>
    state.isFull
      ? { status: 429, body: JSON.stringify({ error: { message: `${vendorSecret} may not ask ${prompt}`, type: 'x', code: 'y' } }) }
      : { body: JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }] }) },
  )
  t.teardown(() => upstream.close())
  return Object.assign(state, { use: openaiChat({ id: 'acme', apiKey: vendorSecret, baseUrl: upstream.url }) })
}

async function opened(t: Test, options: Parameters<typeof gateway>[0]): Promise<GatewayUnderTest> {
  const under = await gateway(options)
  t.teardown(() => under.stop())
  return under
}

const ask = async (under: GatewayUnderTest, more: object = {}): Promise<number> => {
  const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: prompt, user: 'user-canary-CANARY', ...more } })
  await reply.text()
  return reply.status
}

t.test('two gateways: no content and no secret is in the server, and limits hold for both', skip, async t => {
  const server = await startValkey({ settings: ['--requirepass', password], password })
  t.teardown(() => server.stop())
  const heard: string[] = []
  await server.monitor(line => void heard.push(line))
  const acme = await vendor(t)
  const url = server.url.replace('//', `//:${password}@`)
  const limits = [
    { requests: 10, windowMs: 60_000 },
    { tokens: 1_000_000, windowMs: 60_000 },
  ]
  const key = { maxConcurrency: 5, limits, policy: { logging: { value: true } } }
  const plugins = [valkey({ url }), acme.use]
  const gateways = [await opened(t, { plugins, key }), await opened(t, { plugins, key })]
  // These make them share: failures that open a circuit, sessions, a wrong token, answers, their ends.
  for (const under of gateways) {
    acme.isFull = false
    const statuses: number[] = []
    for (let request = 0; request < 14; request++) {
      acme.isFull = request >= 8
      const more = { session_id: 'session-canary-CANARY', store: true, metadata: { note: 'note-canary-CANARY' } }
      statuses.push(await ask(under, more))
    }
    await Promise.all(Array.from({ length: 10 }, () => ask(under)))
    t.same(statuses, [...Array(8).fill(200), ...Array(6).fill(429)])
  }
  await new Promise(resolve => setTimeout(resolve, 1_200))
  t.ok(
    heard.some(line => line.includes('{g:')),
    'limits were counted there',
  )
  const kept: string[] = []
  const keys = (await server.ask('KEYS', '*')) as string[]
  for (const name of keys) {
    t.match(name, /^turnpike:\{/)
    const type = await server.ask('TYPE', name)
    const read = { string: ['GET', name], hash: ['HGETALL', name], zset: ['ZRANGE', name, '0', '-1'] }[String(type)]!
    kept.push(name, JSON.stringify(await server.ask(...read)))
  }
  for (const part of ['w:', 'generation', 'alive', 'entries'])
    t.ok(
      keys.some(name => name.includes(part)),
      part,
    )
  const scripts = /^\d+\.\d+ \[\d+ lua\]/
  const sent = heard.filter(line => !scripts.test(line)).join('\n')
  const secrets = gateways.map(({ apiKey }) => apiKey.split('_')[2]!)
  for (const text of [sent, kept.join('\n'), ...gateways.map(({ logs }) => logs.join('\n'))]) {
    t.notMatch(text, /canary/i)
    for (const secret of secrets) t.notOk(text.includes(secret), 'no API key')
    t.notOk(text.includes('ab'.repeat(32)), 'nor the master key')
  }
})

t.test('a gateway starts without its server, and counts alone until it is there', skip, async t => {
  const port = await freePort()
  const under = await opened(t, {
    plugins: [valkey({ url: `redis://127.0.0.1:${port}` }), (await vendor(t)).use],
    key: { limits: [{ requests: 2, windowMs: 60_000 }] },
  })
  t.same([await ask(under), await ask(under), await ask(under)], [200, 200, 429])
  const reason = under.logs.filter(line => line.includes('because nothing listens there'))
  t.equal(reason.length, 1, 'and says why once')
  const server = await startValkey({ port })
  t.teardown(() => server.stop())
  const counted = async (): Promise<boolean> => ((await server.ask('KEYS', '*w:*')) as string[]).length > 0
  for (let waited = 0; !(await counted()) && waited < 10_000; waited += 50) await new Promise(resolve => setTimeout(resolve, 50))
  t.ok(await counted(), 'then it adds what it counted')
  t.equal(await ask(under), 429)
})

t.test('check says why the server cannot be used', async t => {
  const workplace = new Workplace(`import { defaults, defineConfig } from 'turnpike/config'
    export default defineConfig({ plugins: defaults({ without: ['ollama'] }) })`)
  t.teardown(() => workplace.remove())
  const absent = await workplace.spawn(['check'], [], { REDIS_URL: `redis://:${password}@127.0.0.1:1` }).finished
  t.match(absent.stderr, /cannot use Valkey at 127\.0\.0\.1:1, because nothing listens there/)
  t.match(absent.stdout, /^ *valkey +coordination, shared-state, rate-limiter/m)
  t.notMatch(absent.stderr + absent.stdout, /canary/i)
})

t.test('the address', async t => {
  const addresses = async (environment: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
    t.intercept(process, 'env', { value: { ...process.env, VALKEY_URL: '', REDIS_URL: '', ...environment } })
    const uses = await Promise.all(defaults({ without: ['ollama'] }))
    return uses.flatMap(use => (use && use.plugin.name === 'valkey' ? [(use.options as { readonly url: string }).url] : []))
  }
  t.same(await addresses({}), [])
  t.same(await addresses({ REDIS_URL: 'redis://a.example.com' }), ['redis://a.example.com'])
  t.same(await addresses({ REDIS_URL: 'redis://a.example.com', VALKEY_URL: 'valkey://b.example.com' }), ['valkey://b.example.com'])

  const refused = async (options: Parameters<typeof valkey>[0], reason: RegExp): Promise<void> => {
    const failure: unknown = await gateway({ plugins: [valkey(options)] }).then(
      under => under.stop(),
      (error: unknown) => error,
    )
    t.match(String(failure), reason)
    t.notMatch(String(failure), /canary/i)
  }
  await refused({}, /needs to know where the server is\. Set url \(VALKEY_URL or REDIS_URL/)
  await refused({ url: 'redis://a', cluster: ['redis://b'] }, /can use one of url and cluster, not both/)
  await refused({ url: `valkey.example.com:6379/${password}` }, /url/)
  await refused(
    { url: `redis://:${password}@a/x` },
    /needs the number of a database, or nothing, at the end of the address in url, such as redis:/,
  )
  await refused({ url: `redis://:%${password}@a` }, /percent-encoded/)
  await refused({ cluster: ['redis://a', 'rediss://b'] }, /with TLS \(rediss:\/\/\) and without in cluster/)
  await refused({ cluster: ['redis://a/1'] }, /numbered database of a cluster/)
  await refused({ url: 'rediss://a', tls: { cert: 'no.pem' } }, /needs both tls\.cert and tls\.key/)
  await refused({ url: 'rediss://a', tls: { ca: 'no.pem' } }, /cannot read the file in tls\.ca: .*no\.pem/)
  await refused({ url: 'redis://a', prefix: 'a{b' }, /prefix/)
})
