import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fakeUpstream, Gate, sseFrame, type FakeReply, type ReceivedRequest } from '../../../core/testing/index.ts'
import { fakeTime } from '../../kit/fake-time.ts'
import { isLong } from '../../kit/long.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { adminOf, adminToken, nano, recordsOf } from './gateway-admin.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { pricedConfig } from './priced-config.ts'
import { masterKey } from './sql.ts'

// One of three gateways stands still for almost two minutes while it streams. Others get what it held, and it notices before it shows more. How a
// ledger finds out is in sql-ledger.test.ts.

const skip = !isLong && 'npm run test:long'
const org = 'example'
/** Shorter than a provider may be silent, so that nothing else ends the answers. */
const stoppedMs = 110_000
/** Pays for about 30 answers at once. */
const capUsd = 0.0126
const each = 8
const words = 'The gateway shows no more than what is still held for it. '
const tokensOfWords = 13

t.test('three gateways on one SQLite file', { skip, timeout: 600_000 }, async t => await check(t, [{}, {}, {}]))

t.test('three gateways on one Postgres server', { skip: skip || noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const place = { DATABASE_URL: await server.createDatabase() }
  await check(t, [place, place, { ...place, ...(fakeTime.missing === false && fakeTime.by('+5m')) }])
})

async function check(t: Test, environments: readonly Readonly<Record<string, string>>[]): Promise<void> {
  const gates = environments.map(() => new Gate())
  const upstream = await fakeUpstream(request => answer(request, gates))
  t.teardown(() => upstream.close())
  const workplace = new Workplace(pricedConfig(upstream.url, "logLevel: 'error'"))
  t.teardown(() => workplace.remove())
  const secrets = { GATEWAY_MASTER_KEY: masterKey, GATEWAY_ADMIN_TOKEN: adminToken }
  const gateways = environments.map(environment => workplace.spawn(['start'], [], { ...environment, ...secrets }))
  t.teardown(() => gateways.forEach(gateway => gateway.signal('SIGKILL')))
  const urls = await Promise.all(gateways.map(gateway => gateway.url()))
  const admin = adminOf((await gateways[0]!.says(/The admin API is on (http:\S+)/))[1]!)
  await admin('POST', '/orgs', { id: org, name: org, spend_cap_usd: capUsd, spend_period: 'day' })
  const { key } = await admin('POST', '/keys', { name: 'load', org })
  const standing = async (): Promise<any> => await admin('GET', `/orgs/${org}`)

  const streams = await Promise.all(
    urls.flatMap((url, gateway) => Array.from({ length: each }, () => new Stream(url, key, gateway)).map(stream => stream.begun())),
  )
  const shown = (gateway: number): readonly Stream[] => streams.filter(stream => stream.gateway === gateway && stream.status === 200)
  t.ok(
    environments.every((_, gateway) => shown(gateway).length > 0),
    `${environments.map((_, gateway) => shown(gateway).length)} began`,
  )
  const stopped = gateways[1]!
  stopped.signal('SIGSTOP')
  const stoppedAt = performance.now()
  for (const gateway of [0, 2]) gates[gateway]!.open()
  const others = [...shown(0), ...shown(2)]
  await Promise.all(others.map(stream => stream.ended))
  t.ok(
    others.every(({ text }) => /response\.completed/.test(text)),
    'the others go on',
  )
  const heldByStopped = (await standing()).held_usd
  t.ok(heldByStopped > 0, `${heldByStopped} USD are held by the one that stands still`)

  while ((await standing()).held_usd > 0) await setTimeout(500)
  const releasedMs = performance.now() - stoppedAt
  t.ok(releasedMs > 59_000, `released after ${releasedMs} ms`)
  const later: Stream[] = []
  while (later.at(-1)?.status !== 402) {
    const stream = await new Stream(urls[later.length % 2 === 0 ? 0 : 2]!, key, 0).begun()
    await stream.ended
    later.push(stream)
  }
  // The vendor does not wait.
  gates[1]!.open()
  await setTimeout(Math.max(0, stoppedAt + stoppedMs - performance.now()))
  stopped.signal('SIGCONT')
  await Promise.all(shown(1).map(stream => stream.ended))
  for (const { text } of shown(1)) {
    t.match(text, /event: response\.failed\n.*lost touch/)
    t.equal(text.split(words).length, 2, 'it has shown nothing more')
  }

  const records = await recordsOf(admin, org, streams.length + later.length)
  t.equal(records.length, streams.length + later.length, 'each request has one record')
  const charged = records.reduce((sum, { cost_usd: usd }) => sum + nano(usd ?? 0), 0)
  const { spent_usd: spentUsd, held_usd: heldUsd } = await standing()
  t.same([nano(spentUsd), heldUsd], [charged, 0], 'what is spent is what the records cost')
  t.ok(charged <= nano(capUsd) + nano(heldByStopped), `${charged} of ${nano(capUsd)} nano-dollars were charged`)
  t.ok(charged > nano(capUsd) / 2, 'and not much less')
  const next = await new Stream(urls[1]!, key, 1).begun()
  t.equal(next.status, 402, 'the gateway goes on')
  for (const gateway of gateways) gateway.signal('SIGTERM')
  for (const { exitCode } of await Promise.all(gateways.map(({ finished }) => finished))) t.equal(exitCode, 0)
}

/** One answer as its client sees it. */
class Stream {
  readonly gateway: number
  status = 0
  text = ''
  ended: Promise<void> = Promise.resolve()
  readonly #url: string
  readonly #key: string

  constructor(url: string, key: string, gateway: number) {
    this.#url = url
    this.#key = key
    this.gateway = gateway
  }

  /** Resolves when the first words are there, or when it is refused. */
  async begun(): Promise<this> {
    const reply = await fetch(`${this.#url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/acme-large', input: `Question ${this.gateway}`, max_output_tokens: 200, stream: true }),
    })
    this.status = reply.status
    const { promise: shown, resolve } = Promise.withResolvers<void>()
    this.ended = (async () => {
      const decoder = new TextDecoder()
      for await (const piece of reply.body!) {
        this.text += decoder.decode(piece, { stream: true })
        if (this.text.includes(words)) resolve()
      }
      resolve()
    })()
    await shown
    return this
  }
}

function answer({ body }: ReceivedRequest, gates: readonly Gate[]): FakeReply {
  const { messages } = body as { readonly messages: readonly { readonly content: string }[] }
  const gate = gates[Number(/\d+/.exec(messages[0]!.content)![0])]!
  const of = (choices: readonly object[], more: object = {}): string =>
    sseFrame({ id: 'chatcmpl-demo', object: 'chat.completion.chunk', created: 1, model: 'acme-large', choices, ...more })
  const saying = (finish_reason: string | null): string => of([{ index: 0, delta: { role: 'assistant', content: words }, finish_reason }])
  const usage = { prompt_tokens: 10, completion_tokens: 2 * tokensOfWords, total_tokens: 10 + 2 * tokensOfWords }
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: [saying(null), gate, saying('stop'), of([], { usage }), sseFrame('[DONE]')],
  }
}
