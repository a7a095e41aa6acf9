import t from 'tap'
import type { GenerationEvent, JsonObject } from '../../../core/index.ts'
import { ApiKeys } from '../../../core/kit.ts'
import { fakeUpstream, providerCall, providerSuite, replay, sseFrame, type ProviderExample } from '../../../core/testing/index.ts'
import { chatAdapter } from '../../../dialects/index.ts'
import { hosts, type Host, type HostName } from '../../../plugins/providers/openai-chat/hosts.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import chat from '../../../plugins/endpoints/chat/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { text, usage } from '../../kit/stage.ts'

const keys = new ApiKeys('sk-demo-1')
const request = {
  model: 'demo',
  choices: 3,
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which way?' }] }],
} as const

const model: GenerationEvent = { type: 'model', model: 'demo-1' }
const stopped: GenerationEvent = { type: 'choice', reason: 'stop' }
const counted = { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 }

function adapterOf(host: HostName) {
  return chatAdapter(hosts[host], { baseUrl: 'https://chat.example.com/v1', keys })
}

function chunk(...choices: readonly JsonObject[]): string {
  return sseFrame({ model: 'demo-1', choices })
}

const says = (index: number, content: string): JsonObject => ({ index, delta: { content } })
const ends = (index: number, finish_reason = 'stop'): JsonObject => ({ index, delta: {}, finish_reason })
const calls = (index: number, args: string, more: object = {}): JsonObject => ({
  index,
  delta: { tool_calls: [{ index: 0, ...more, function: { ...('id' in more && { name: 'go' }), arguments: args } }] },
})
const counts = sseFrame({ model: 'demo-1', choices: [], usage: counted })
const done = sseFrame('[DONE]')

const whole = (index: number, content: string, finish_reason = 'stop'): JsonObject => ({
  index,
  message: { role: 'assistant', content },
  finish_reason,
})

const examples: readonly ProviderExample[] = [
  {
    name: 'interleaved choices, of which the last ends first',
    request,
    sent: {
      model: 'demo',
      messages: [{ role: 'user', content: 'Which way?' }],
      n: 3,
      store: false,
      stream: true,
      stream_options: { include_usage: true },
    },
    stream: {
      body: [
        chunk(says(0, 'Le')),
        chunk(says(1, 'Ri')),
        chunk(says(2, 'Back')),
        chunk(ends(2)),
        chunk(says(1, 'ght')),
        chunk(says(0, 'ft')),
        chunk(ends(1, 'length')),
        chunk(ends(0)),
        counts,
        done,
      ].join(''),
      events: [
        model,
        text('Le'),
        text('ft'),
        stopped,
        text('Ri'),
        text('ght'),
        { type: 'choice', reason: 'length' },
        text('Back'),
        usage(10, 6),
        { type: 'finish', reason: 'stop' },
      ],
    },
    reply: {
      body: { model: 'demo-1', choices: [whole(1, 'Right', 'length'), whole(0, 'Left'), whole(2, 'Back')], usage: counted },
      events: [
        model,
        text('Left'),
        usage(10, 6),
        stopped,
        text('Right'),
        { type: 'choice', reason: 'length' },
        text('Back'),
        { type: 'finish', reason: 'stop' },
      ],
    },
    billed: { input: 10, output: 6 },
  },
  {
    name: 'calls in each choice',
    request: { ...request, choices: 2, tools: [{ type: 'function', name: 'go', parameters: { type: 'object' } }] },
    stream: {
      body: [
        chunk(calls(0, '', { id: 'call_a' }), calls(1, '', { id: 'call_b' })),
        chunk(calls(1, '{"to":"b"}')),
        chunk(calls(0, '{"to":"a"}')),
        chunk(ends(0, 'tool_calls'), ends(1, 'tool_calls')),
        counts,
        done,
      ].join(''),
      events: [
        model,
        { type: 'tool-call', key: '0', callId: 'call_a', name: 'go' },
        { type: 'tool-input', key: '0', text: '{"to":"a"}' },
        { type: 'choice', reason: 'tool-calls' },
        { type: 'tool-call', key: '0', callId: 'call_b', name: 'go' },
        { type: 'tool-input', key: '0', text: '{"to":"b"}' },
        usage(10, 6),
        { type: 'finish', reason: 'tool-calls' },
      ],
    },
  },
]

providerSuite(t, { adapter: adapterOf('openai'), examples, credentialId: keys.credentials![0]!.id, secrets: ['sk-demo-1'] })

t.test('a host that goes on after a finish reason ends its choices with the stream', async t => {
  const body = [
    chunk(says(0, 'a'), ends(0)),
    chunk(says(1, 'b')),
    chunk(says(0, ' more')),
    chunk(ends(0)),
    chunk(ends(1)),
    counts,
    done,
  ].join('')
  const call = providerCall({ ...request, choices: 2, stream: true }, {})
  const { events } = await replay(adapterOf('together'), call, { pieces: [Buffer.from(body)] })
  t.same(
    events.filter(({ type }) => type === 'text' || type === 'choice' || type === 'finish'),
    [text('a'), text(' more'), stopped, text('b'), { type: 'finish', reason: 'stop' }],
  )
})

t.test('a reply that lacks a choice is cut short, and an error in any choice is one', async t => {
  const call = providerCall({ ...request, choices: 2, stream: true }, {})
  const replayed = async (...frames: readonly string[]) =>
    await replay(adapterOf('openai'), call, { pieces: [Buffer.from(frames.join(''))] })
  const one = await replayed(chunk(says(0, 'a')), chunk(ends(0)), counts, done)
  t.ok(!one.events.some(({ type }) => type === 'finish'))
  const failed = await replayed(chunk(says(0, 'a')), chunk({ index: 1, delta: {}, error: { message: 'overloaded', code: 529 } }))
  t.ok(failed.failure)
})

t.test('each host gets `n` only if it is known to take it', t => {
  const able = (Object.entries<Host>(hosts) as [HostName, Host][]).flatMap(([name, { choices }]) => (choices ? [name] : []))
  t.same(able.toSorted(), ['deepinfra', 'fireworks', 'openai', 'sglang', 'together', 'vllm', 'xai'])
  const capabilities = (host: HostName, upstreamModel: string) =>
    adapterOf(host).capabilitiesOf!({ provider: host, model: upstreamModel, upstreamModel }).choices
  t.equal(capabilities('openai', 'gpt-5'), true)
  t.equal(capabilities('openai', 'gpt-4o-search-preview'), false)
  t.equal(capabilities('openrouter', 'demo'), undefined)
  t.end()
})

for (const host of ['openai', 'groq'] as const)
  t.test(`n of Chat Completions through ${host}`, async t => {
    const upstream = await fakeUpstream(({ body }) => {
      const { n = 1, stream } = body as { n?: number; stream?: boolean }
      const indexes = Array.from({ length: n }, (_, index) => index)
      if (!stream) {
        const reply = { model: 'demo-1', choices: indexes.map(index => whole(index, 'Left')), usage: counted }
        return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) }
      }
      const frames = [...indexes.map(index => chunk(says(index, 'Left'))), ...indexes.map(index => chunk(ends(index))), counts, done]
      return { headers: { 'content-type': 'text/event-stream' }, body: frames.join('') }
    })
    t.teardown(() => upstream.close())
    const under = await gateway({ plugins: [openaiChat({ host, apiKey: 'sk-demo-1', baseUrl: upstream.url }), chat({})] })
    t.teardown(under.stop)
    const asked = { model: `${host}/demo`, n: 3, messages: [{ role: 'user', content: 'Which way?' }] }
    const reply = await under.request('/v1/chat/completions', { body: asked })
    const { choices, usage: total } = (await reply.json()) as { choices: JsonObject[]; usage: JsonObject }
    t.match(
      choices,
      [0, 1, 2].map(index => ({ index, message: { content: 'Left' }, finish_reason: 'stop' })),
    )
    const times = host === 'openai' ? 1 : 3
    t.match(total, { prompt_tokens: 10 * times, completion_tokens: 6 * times })
    t.equal(upstream.requests.length, times)
    const streamed = await (await under.request('/v1/chat/completions', { body: { ...asked, stream: true } })).text()
    const parsed = streamed
      .split('\n')
      .flatMap(line => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as { choices: JsonObject[] }] : []))
    const ended = parsed.flatMap(({ choices: [choice] }) => (choice?.['finish_reason'] ? [choice['index']] : []))
    t.same(ended, [0, 1, 2])
  })

t.test('what choices have said before their turn is told to the gateway, one text for each', async t => {
  let withheld = (): readonly string[] => []
  const call = { ...providerCall(request), withholds: (texts: () => readonly string[]) => void (withheld = texts) }
  const decoder = chatAdapter(hosts.openai, { baseUrl: 'https://chat.example.com/v1', keys }).decoder(call)
  const told: GenerationEvent[] = []
  const hear = (choices: readonly JsonObject[]): void =>
    decoder.frame(JSON.stringify({ choices }), undefined, event => void told.push(event))
  hear([says(0, 'Le')])
  hear([says(1, 'Ri'), says(2, 'Ba')])
  hear([says(1, 'ght'), says(0, 'ft'), calls(2, '{}', { id: 'call_1' })])
  t.same(
    told.flatMap(event => (event.type === 'text' ? [event.text] : [])),
    ['Le', 'ft'],
  )
  t.same(withheld(), ['', 'Right', 'Ba{}'])
})
