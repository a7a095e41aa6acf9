import { once } from 'node:events'
import { createServer, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProviderFailure, type GenerationEvent } from '../../../core/index.ts'
import { checkStream, cut, fakeUpstream, Gate, readEvents, reset, sseFrame, stall, type Step } from '../../../core/testing/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { byEveryWay } from '../../kit/by-every-way.ts'
import { gateway, hello, listeningGateway, saying, scripted, type ListeningGateway } from '../../kit/gateway.ts'

const finish: GenerationEvent = { type: 'finish', reason: 'stop' }
const text = (text: string): GenerationEvent => ({ type: 'text', text })

/** A request whose reply the test reads by hand. */
function open(under: ListeningGateway, body: object): { readonly sent: ClientRequest; readonly reply: Promise<IncomingMessage> } {
  const sent = httpRequest(`${under.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' },
  })
  const reply = new Promise<IncomingMessage>((resolve, reject) => sent.once('response', resolve).once('error', reject))
  sent.end(JSON.stringify(body))
  return { sent, reply }
}

async function readUntil(reply: IncomingMessage, seen: (text: string) => boolean): Promise<string> {
  let got = ''
  for await (const chunk of reply.iterator({ destroyOnReturn: false })) {
    got += String(chunk)
    if (seen(got)) break
  }
  return got
}

/** Waits until nothing is taken from the provider while the gateway serves a whole other request. */
async function untilStill(under: ListeningGateway, taken: () => number): Promise<void> {
  for (let before = -1; before !== taken();) {
    before = taken()
    await (await fetch(`${under.url}/v1/responses/health`)).arrayBuffer()
  }
}

const chunk = (delta: object, more: object = {}): string =>
  sseFrame(
    JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, ...more }] }),
  )

byEveryWay('frames come whole, in order, and close with the connection', async t => {
  const under = await listeningGateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const { reply } = open(under, { model: 'acme/m', input: 'hi', stream: true })
  const message = await reply
  t.equal(message.headers['content-type'], 'text/event-stream')
  t.equal(message.headers['x-gateway-provider'], 'acme')
  let got = ''
  for await (const piece of message) {
    t.match(String(piece), /\n\n$/, 'no frame is split')
    got += String(piece)
  }
  const { response } = checkStream(got)
  t.equal(response.status, 'completed')
  t.equal(response.model, 'acme/m')
})

byEveryWay('what a client does not read is not taken from the provider', async t => {
  let taken = 0
  const endless = scripted('acme', async function* () {
    for (;;) {
      taken += 1000
      yield text('x'.repeat(1000))
    }
  })
  const under = await gateway({ plugins: [endless] })
  t.teardown(under.stop)
  const request = new Request('http://gateway.example.com/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/m', input: 'hi', stream: true }),
  })
  const { body } = await under.gateway.http.h3.fetch(request)
  for (let before = -1, quietTurns = 0; quietTurns < 100; quietTurns = taken === before ? quietTurns + 1 : 0) {
    before = taken
    await new Promise(resolve => setImmediate(resolve))
  }
  t.ok(taken > 0 && taken <= 16 * 1024, `${taken} characters`)
  await body!.cancel()
})

byEveryWay('a client that leaves aborts the upstream, in both modes, and is recorded as 499', async t => {
  for (const stream of [true, false]) {
    const upstream = await fakeUpstream([
      {
        body: stream ? [chunk({ content: 'Hel' }), stall] : [stall],
        headers: { 'content-type': stream ? 'text/event-stream' : 'application/json' },
      },
    ])
    const under = await listeningGateway({ plugins: [openaiChat({ id: 'acme', apiKey: 'sk-demo-1', baseUrl: upstream.url })] })
    const { sent, reply } = open(under, { model: 'acme/m', input: 'hi', stream })
    if (stream) await readUntil(await reply, got => got.includes('Hel'))
    else {
      reply.catch(() => {})
      while (upstream.requests.length === 0) await sleep(1)
    }
    sent.destroy()
    t.equal(await upstream.requests[0]!.closed, 'early', `the upstream hears of it, stream ${stream}`)
    const [record] = await under.recorded(1)
    t.same([record!.status, record!.errorCode, record!.attempts.map(({ outcome }) => outcome)], [499, 'client_closed_request', ['left']])
    t.equal(record!.usage?.estimated ?? false, stream, 'what was delivered is estimated')
    await under.stop()
    await upstream.close()
  }
})

byEveryWay('a client that stops reading stops the upstream read, and both go on when it reads again', async t => {
  const piece = 'x'.repeat(1_000)
  const total = 20_000
  let produced = 0
  const under = await listeningGateway({
    plugins: [
      scripted('acme', async function* () {
        for (; produced < total; produced++) yield text(piece)
        yield finish
      }),
    ],
  })
  t.teardown(under.stop)
  const { reply } = open(under, { model: 'acme/m', input: 'hi', stream: true })
  const message = await reply
  await untilStill(under, () => produced)
  t.ok(produced * piece.length < 12_000_000, `it stopped after ${produced} of ${total} pieces`)
  const got = await readUntil(message, () => false)
  t.equal(readEvents(got).at(-1)?.type, 'response.completed')
  t.equal(produced, total)
})

byEveryWay('a client that stalls and then leaves ends the run', async t => {
  let produced = 0
  let stopped = false
  const under = await listeningGateway({
    plugins: [
      scripted('acme', async function* () {
        try {
          for (; ; produced++) yield text('x'.repeat(10_000))
        } finally {
          stopped = true
        }
      }),
    ],
  })
  t.teardown(under.stop)
  const { sent, reply } = open(under, { model: 'acme/m', input: 'hi', stream: true })
  await reply
  await untilStill(under, () => produced)
  sent.destroy()
  const [record] = await under.recorded(1)
  t.equal(record!.status, 499)
  t.ok(stopped, 'the provider was told')
  t.equal(under.gateway.liveRuns, 0)
})

byEveryWay('silence is broken: by comments before the answer, by response.in_progress after it', async t => {
  const first = new Gate()
  const second = new Gate()
  const under = await listeningGateway({
    settings: { commitAfterMs: 1, heartbeatMs: 15 },
    plugins: [
      scripted('acme', async function* () {
        await first.pass()
        yield text('Hel')
        await second.pass()
        yield text('lo')
        yield finish
      }),
    ],
  })
  t.teardown(under.stop)
  const { reply } = open(under, { model: 'acme/m', input: 'hi', stream: true })
  const message = await reply
  let got = await readUntil(message, got => got.includes(': keep-alive'))
  t.notMatch(got, /response\.created/, 'created waits for the attempt that settles')
  first.open()
  got += await readUntil(message, got => got.split('event: response.in_progress').length > 3)
  second.open()
  got += await readUntil(message, () => false)
  t.equal(checkStream(got).response.status, 'completed')
})

byEveryWay('a stream that commits sends its status at once, before anything was generated', async t => {
  const gate = new Gate()
  const under = await listeningGateway({
    settings: { commitAfterMs: 1 },
    plugins: [
      scripted('acme', async function* () {
        await gate.pass()
        yield* hello
      }),
    ],
  })
  t.teardown(under.stop)
  // The heartbeat would come only after 15 s, and the provider goes on only once the status is there.
  const message = await open(under, { model: 'acme/m', input: 'hi', stream: true }).reply
  t.equal(message.statusCode, 200)
  t.match(await readUntil(message, () => true), /^:/, 'a comment')
  gate.open()
  t.equal(checkStream(await readUntil(message, () => false)).response.status, 'completed')
})

byEveryWay('failover stays invisible until an attempt answers', async t => {
  const gate = new Gate()
  const failing = (id: string, before?: Gate): ReturnType<typeof scripted> =>
    scripted(id, async function* () {
      await before?.pass()
      throw new ProviderFailure({ kind: 'unavailable', message: 'down for repair', status: 503 })
    })
  const under = await gateway({ settings: { commitAfterMs: 1 }, plugins: [failing('one', gate), failing('two'), saying('three', hello)] })
  t.teardown(under.stop)
  const body = { model: 'one/m', input: 'hi', stream: true, routing: { provider: { fallbacks: ['two', 'three'] } } }
  const late = await under.request('/v1/responses', { body })
  gate.open()
  const { response } = checkStream(await late.text())
  t.equal(response.model, 'three/m', 'after the timed commit too')
  const soon = await under.request('/v1/responses', { body: { ...body, stream: false } })
  t.equal(soon.headers.get('x-gateway-attempts'), '3')
  t.equal(soon.headers.get('x-gateway-provider'), 'three')
  const record = await under.record(soon.headers.get('x-request-id')!)
  t.same(
    record.attempts.map(({ provider, outcome, status }) => [provider, outcome, status]),
    [
      ['one', 'unavailable', 503],
      ['two', 'unavailable', 503],
      ['three', 'ok', null],
    ],
  )
})

byEveryWay('a failure before the answer is a status; after it, error and response.failed', async t => {
  const down = new ProviderFailure({ kind: 'overloaded', message: 'too busy', status: 529, upstream: '{"busy":true}' })
  const gate = new Gate()
  const plugins = [
    scripted('before', async function* () {
      throw down
    }),
    scripted('late', async function* () {
      await gate.pass()
      throw down
    }),
    scripted('middle', async function* () {
      yield text('Hel')
      throw down
    }),
  ]
  const under = await gateway({ plugins })
  t.teardown(under.stop)
  const hasty = await gateway({ plugins, settings: { commitAfterMs: 1 } })
  t.teardown(hasty.stop)
  const ask = (model: string, of = under): Promise<Response> => of.request('/v1/responses', { body: { model, input: 'hi', stream: true } })
  const before = await ask('before/m')
  t.equal(before.status, 424)
  t.same(await before.json(), {
    error: {
      message: 'The provider "before" failed: too busy',
      type: 'provider_error',
      param: null,
      code: 'provider_error',
      upstream_error: '{"busy":true}',
    },
  })
  const late = await ask('late/m', hasty)
  gate.open()
  for (const [provider, reply] of Object.entries({ late, middle: await ask('middle/m') })) {
    t.equal(reply.status, 200)
    const { response } = checkStream(await reply.text())
    t.equal(response.status, 'failed')
    t.same(response.error, {
      code: 'provider_error',
      message: `The provider "${provider}" failed: too busy`,
      upstream_error: '{"busy":true}',
    })
  }
})

byEveryWay('a stream that the upstream cut short is never a success', async t => {
  const half = chunk({ content: 'Hello' })
  const endings: Record<string, readonly Step[]> = {
    'an early end': [half],
    'a cut': [half, cut],
    'a reset': [half, reset],
    'half an event': [half, chunk({ content: ' you' }).slice(0, 40)],
    'invalid UTF-8 and an end': [half, new Uint8Array([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a])],
    nonsense: [half, 'data: {"choices": 5}\n\ndata: nonsense\n\n'],
    'nothing at all': [],
    'a reset before anything': [reset],
  }
  for (const [name, body] of Object.entries(endings)) {
    const upstream = await fakeUpstream(() => ({ headers: { 'content-type': 'text/event-stream' }, body }))
    const under = await listeningGateway({ plugins: [openaiChat({ id: 'acme', apiKey: 'sk-demo-1', baseUrl: upstream.url })] })
    const reply = await fetch(`${under.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/m', input: 'hi', stream: true }),
    })
    const got = await reply.text()
    if (body[0] === half) {
      t.equal(checkStream(got).response.status, 'failed', name)
      t.match(
        readEvents(got)
          .map(({ type }) => type)
          .slice(-2),
        ['error', 'response.failed'],
      )
    } else t.equal(reply.status, 424, name)
    const [record] = await under.recorded(1)
    t.equal(record!.errorCode, 'provider_error')
    t.equal((await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'hi' } })).status, 200)
    await under.stop()
    await upstream.close()
  }
})

byEveryWay('an upstream that stalls is a 504 before the answer and provider_timeout after it', async t => {
  const upstream = await fakeUpstream(({ text }) => ({
    headers: { 'content-type': 'text/event-stream' },
    body: text.includes('faltering') ? [chunk({ content: 'Hel' }), stall] : [stall],
  }))
  // Only what never comes is awaited for a short time: a busy machine makes everything else late.
  const vendor = (id: string, timeouts: object) => openaiChat({ id, apiKey: 'sk-demo-1', baseUrl: upstream.url, timeouts })
  const under = await gateway({
    plugins: [vendor('mute', { firstEventMs: 30, totalMs: 200 }), vendor('faltering', { betweenEventsMs: 30 })],
  })
  t.teardown(async () => {
    await under.stop()
    await upstream.close()
  })
  const ask = (provider: string, stream: boolean): Promise<Response> =>
    under.request('/v1/responses', { body: { model: `${provider}/m`, input: provider, stream } })
  for (const stream of [true, false]) {
    const soon = await ask('mute', stream)
    t.equal(soon.status, 504)
    t.match(await soon.json(), { error: { code: 'provider_timeout', type: 'server_error' } })
  }
  const { response } = checkStream(await (await ask('faltering', true)).text())
  t.match(response.error, { code: 'provider_timeout' })
  for (const { closed } of upstream.requests) t.equal(await closed, 'early', 'the upstream is let go')
})

byEveryWay('a provider that watches no signal is left behind', async t => {
  const under = await gateway({
    plugins: [
      scripted(
        'deaf',
        async function* () {
          await new Promise(() => {})
        },
        { timeouts: { firstEventMs: 20, totalMs: 40 } },
      ),
    ],
  })
  t.teardown(under.stop)
  t.equal((await under.request('/v1/responses', { body: { model: 'deaf/m', input: 'hi', stream: true } })).status, 504)
  t.equal((await under.request('/v1/responses', { body: { model: 'deaf/m', input: 'hi' } })).status, 504)
  t.equal(under.gateway.liveRuns, 0)
})

byEveryWay('shutting down ends open streams with an error', async t => {
  const gate = new Gate()
  const under = await listeningGateway({
    plugins: [
      scripted('acme', async function* () {
        yield text('Hel')
        await gate.pass()
        yield finish
      }),
    ],
  })
  t.teardown(under.stop)
  const { reply } = open(under, { model: 'acme/m', input: 'hi', stream: true })
  const message = await reply
  let got = await readUntil(message, got => got.includes('Hel'))
  under.gateway.abortRuns()
  got += await readUntil(message, () => false)
  const { response } = checkStream(got)
  t.match(response.error, { code: 'server_error', message: /shutting down/ })
})

byEveryWay('a connection whose answer is over serves another request; one that the upstream keeps open is closed', async t => {
  const usage = sseFrame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
  const answer = `${chunk({ content: 'Hello.' })}${chunk({}, { finish_reason: 'stop' })}${usage}data: [DONE]\n\n`
  const sockets: Socket[] = []
  let staysOpen = false
  const upstream = createServer((request, response) => {
    sockets.push(request.socket)
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(answer)
    if (!staysOpen) response.end()
  })
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const under = await gateway({ plugins: [openaiChat({ id: 'acme', apiKey: 'sk-demo-1', baseUrl })] })
  t.teardown(async () => {
    await under.stop()
    upstream.closeAllConnections()
    upstream.close()
  })
  const ask = async (): Promise<void> => {
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true } })
    t.equal(checkStream(await reply.text()).response.status, 'completed')
  }
  // The end of a body may come a moment after the answer; then the next request takes another connection.
  while (new Set(sockets).size === sockets.length) await ask()
  staysOpen = true
  await ask()
  const last = sockets.at(-1)!
  if (!last.destroyed) await once(last, 'close')
  t.pass('it is closed')
})
