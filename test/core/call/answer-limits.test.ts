import { fork } from 'node:child_process'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import type { GenerationEvent, JsonObject } from '../../../core/index.ts'
import { checkStream, fakeUpstream, readEvents, sseFrame, type FakeReply } from '../../../core/testing/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { ask, text } from '../../kit/stage.ts'
import { gateway, scripted } from '../../kit/gateway.ts'

const maxAnswerBytes = 1024 * 1024
const settings = { maxAnswerBytes, maxAnswerEvents: 5_000 }
const finish: GenerationEvent = { type: 'finish', reason: 'stop' }

const chunk = (delta: object, more: object = {}): string =>
  sseFrame({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, ...more }] })
const hello = `${chunk({ content: 'Hello.' })}${chunk({}, { finish_reason: 'stop' })}data: [DONE]\n\n`
const sse = { 'content-type': 'text/event-stream' }

/** A body that never ends, as fast as it is read. */
function endless(piece: (count: number) => string, first = ''): NonNullable<FakeReply['body']> {
  const steps = {
    *[Symbol.iterator]() {
      yield first
      for (let count = 1; ; count++) yield piece(count)
    },
  }
  return steps as unknown as NonNullable<FakeReply['body']>
}

const call = (count: number): string =>
  chunk({ tool_calls: [{ index: count, id: `call_${count}`, type: 'function', function: { name: 'look', arguments: '{}' } }] })
const streams: Readonly<Record<string, NonNullable<FakeReply['body']>>> = {
  text: endless(() => chunk({ content: 'x'.repeat(1_000) })),
  'white space': endless(() => chunk({ content: ' '.repeat(1_000) })),
  'text of one character a piece': endless(() => chunk({ content: 'x' }).repeat(50)),
  reasoning: endless(() => chunk({ reasoning_content: 'x'.repeat(1_000) })),
  'tool calls': endless(call),
  arguments: endless(() => chunk({ tool_calls: [{ index: 1, function: { arguments: 'x'.repeat(1_000) } }] }), call(1)),
  'a call that has no name': endless(() => chunk({ tool_calls: [{ index: 1, function: { arguments: 'x'.repeat(1_000) } }] })),
  'empty deltas': endless(() => chunk({}).repeat(50), chunk({ content: 'x' })),
  'counts before any text': endless(() => sseFrame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }).repeat(50)),
  comments: endless(() => ': still here\n\n'.repeat(500)),
  'comments after some text': endless(() => ': still here\n\n'.repeat(500), chunk({ content: 'x' })),
  'one event': endless(() => 'x'.repeat(10_000), 'data: '),
}

for (const [name, body] of Object.entries(streams))
  t.test(`endless ${name} end as a failure, and the upstream is let go`, async t => {
    await using upstream = await fakeUpstream(() => ({ headers: sse, body }))
    const under = await gateway({
      plugins: [openaiChat({ id: 'acme', apiKey: 'sk-demo-1', baseUrl: upstream.url, host: 'compatible' })],
      settings,
    })
    t.teardown(under.stop)
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true } })
    const told = await reply.text()
    if (reply.status === 200) {
      const { response } = checkStream(told)
      t.equal(response.status, 'failed')
      t.match(
        readEvents(told).map(({ type }) => type),
        /error,response\.failed$/,
      )
    } else t.equal(reply.status, 424)
    t.match(told, /"code":"provider_error"/)
    t.match(told, /an answer of more than \d+ (bytes \(server\.maxAnswerBytes\)|events \(server\.maxAnswerEvents\))/)
    for (const { closed } of upstream.requests) t.equal(await closed, 'early')
    const [record] = await under.recorded(1)
    t.equal(record!.errorCode, 'provider_error')
    t.equal(record!.attempts.at(-1)!.outcome, 'protocol')
  })

t.test('a whole reply that does not end is a failure too, and does not count against the next endpoint', async t => {
  await using upstream = await fakeUpstream([
    {
      headers: { 'content-type': 'application/json' },
      body: endless(() => 'x'.repeat(10_000), '{"choices":[{"index":0,"message":{"content":"'),
    },
    {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ choices: [{ index: 0, message: { content: 'x'.repeat(300_000) }, finish_reason: 'stop' }] }),
    },
  ])
  const provider = (id: string) => openaiChat({ id, apiKey: 'sk-demo-1', baseUrl: upstream.url, host: 'compatible' })
  const under = await gateway({ plugins: [provider('acme'), provider('other')], settings })
  t.teardown(under.stop)
  const { status, response } = await ask(under, { model: 'acme/m', routing: { provider: { fallbacks: ['other'] } } })
  t.equal(status, 200)
  t.equal(response.model, 'other/m')
  t.equal(await upstream.requests[0]!.closed, 'early')
})

t.test('events that a raise holds back count', async t => {
  const under = await gateway({
    plugins: [
      scripted(
        'acme',
        async function* () {
          for (;;) yield text('x')
        },
        { capabilities: { structuredOutput: 'none' } },
      ),
    ],
    settings,
  })
  t.teardown(under.stop)
  const { status, error } = await ask(under, { model: 'acme/m', text: { format: { type: 'json_object' } } })
  t.equal(status, 424)
  t.match(error.message, /more than 5000 events/)
})

t.test('all answers together: the largest ends, whoever asked for it, even if its client does not read', async t => {
  const more = Promise.withResolvers<void>()
  const grown = Promise.withResolvers<void>()
  const under = await gateway({
    plugins: [
      scripted('large', async function* () {
        for (let count = 0; count < 100; count++) yield text('x'.repeat(4_000))
        grown.resolve()
        await new Promise(() => {})
      }),
      scripted('small', async function* () {
        yield text('Hel')
        await more.promise
        yield text('x'.repeat(200_000))
        yield finish
      }),
    ],
    settings: { maxLiveAnswerBytes: maxAnswerBytes },
  })
  t.teardown(under.stop)
  const large = ask(under, { model: 'large/m', stream: true })
  const small = ask(under, { model: 'small/m', stream: true })
  await grown.promise
  more.resolve()
  t.equal((await small).response.status, 'completed')
  const { response, requestId } = await large
  t.equal(response.status, 'failed')
  t.match(response.error, { code: 'server_error', message: /all answers in progress together need more than 1048576 bytes/ })
  const record = await under.record(requestId)
  t.same([record.errorCode, record.attempts.map(({ outcome }) => outcome)], ['server_error', ['left']])
  t.match(under.logs.join('\n'), /ended the largest answer to free memory/)
  t.equal((await ask(under, { model: 'small/m' })).status, 200, 'what it took is free')
})

t.test('an answer whose client does not read is ended as well', async t => {
  const ended = Promise.withResolvers<void>()
  const under = await gateway({
    plugins: [
      scripted('large', async function* () {
        try {
          for (;;) yield text('x'.repeat(10_000))
        } finally {
          ended.resolve()
        }
      }),
      scripted('next', async function* () {
        yield text('x'.repeat(15_000))
        yield finish
      }),
    ],
    // The stalled answer has filled its 16 KiB of frames: two pieces, at two bytes a character.
    settings: { maxLiveAnswerBytes: 60_000 },
  })
  t.teardown(under.stop)
  const unread = await under.request('/v1/responses', { body: { model: 'large/m', input: 'hi', stream: true } })
  t.equal((await ask(under, { model: 'next/m', stream: true })).response.status, 'completed')
  await ended.promise
  t.match(await unread.text(), /response\.failed/)
})

/** More than fits at once, but less than the answers of one process may take. */
const atOnce = 200
const highestAllowedBytes = 1.5e9
const perAnswerBytes = 8 * 1024 * 1024
/** Half of its limit. The more V8 is allowed, the longer it leaves garbage. */
const maxHeapMb = 768

for (const stream of [true, false])
  t.test(`${atOnce} endless answers at once, ${stream ? 'streamed' : 'whole'}, leave the process serving and under 1.5 GB`, async t => {
    const piece = chunk({ content: 'x'.repeat(16_000) })
    await using upstream = await fakeUpstream(({ body }) => {
      if (JSON.stringify(body).includes('hello')) return { headers: sse, body: hello }
      return stream
        ? { headers: sse, body: endless(() => piece) }
        : { headers: { 'content-type': 'application/json' }, body: endless(() => piece, '{"choices":[') }
    })
    const process = await gatewayProcess(t, upstream.url)
    let isOver = false
    const endlessly = Promise.all(Array.from({ length: atOnce }, () => process.post('endless', stream))).finally(() => void (isOver = true))
    let served = 0
    while (!isOver) {
      const { status, end } = await process.post('hello', true)
      if (status === 200 && end.includes('response.completed')) served++
      else t.fail(`a short answer in between: ${status} ${end}`)
    }
    const counts: Record<string, number> = {}
    for (const { status, end } of await endlessly) {
      const failed = stream ? status === 200 && end.includes('"type":"response.failed"') : status === 503 || status === 424
      const why = /server\.max\w+/.exec(end)?.[0] ?? end
      counts[why] = (counts[why] ?? 0) + Number(failed)
    }
    // Which of the two limits it is depends on how evenly they are sent.
    for (const why of Object.keys(counts)) t.match(why, /^server\.max(Live)?AnswerBytes$/)
    t.equal(
      Object.values(counts).reduce((sum, count) => sum + count, 0),
      atOnce,
      'each ends as a failure that says why',
    )
    t.ok(served > 0, 'others are served meanwhile')
    const highest = await process.highestBytes()
    t.comment(`${Math.round(highest / 1e6)} MB, ${served} short answers`, counts)
    t.ok(highest < highestAllowedBytes, `${Math.round(highest / 1e6)} MB`)
  })

interface Told {
  readonly status: number
  /** Of the body. */
  readonly end: string
}

async function gatewayProcess(t: Test, upstreamUrl: string) {
  const path = new URL('answer-limits-process.ts', import.meta.url)
  const child = fork(path, [upstreamUrl, String(perAnswerBytes)], {
    execArgv: ['--conditions=turnpike-source', `--max-old-space-size=${maxHeapMb}`],
  })
  t.teardown(() => void child.kill())
  const [{ url, apiKey }] = (await once(child, 'message')) as [{ readonly url: string; readonly apiKey: string }]
  return {
    async post(input: string, stream: boolean): Promise<Told> {
      // This process is busy too: a connection that it leaves idle may be closed by the time it is used again.
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', connection: 'close' }
      const body = JSON.stringify({ model: 'acme/m', input, stream } satisfies JsonObject)
      const reply = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body })
      const decoder = new TextDecoder()
      let end = ''
      for await (const part of reply.body!) end = (end + decoder.decode(part, { stream: true })).slice(-2_000)
      return { status: reply.status, end }
    },
    async highestBytes(): Promise<number> {
      child.send('?')
      const [{ highestBytes }] = (await once(child, 'message')) as [{ readonly highestBytes: number }]
      return highestBytes
    },
  }
}
