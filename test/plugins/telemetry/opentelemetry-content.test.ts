import t from 'tap'
import type { Guardrail, PolicyLayer } from '../../../core/index.ts'
import chatRoute from '../../../plugins/endpoints/chat/index.ts'
import geminiRoute from '../../../plugins/endpoints/gemini/index.ts'
import messagesRoute from '../../../plugins/endpoints/messages/index.ts'
import { conversationOf } from '../../../plugins/telemetry/opentelemetry/messages.ts'
import { ask, guarding, listing, stop, text, usage, witness } from '../../kit/stage.ts'
import { calling, toCall } from '../../kit/tool-stage.ts'
import { telemetryStage } from './stage.ts'

const canary = 'canary-4711'
const models = listing({ model: 'm', endpoints: [{ provider: 'acme', zdr: { policy_url: 'https://example.com/zdr' } }] })
const on = { value: true }
/** Lets every policy pass. */
const clearing = (): ReturnType<typeof guarding> =>
  guarding(undefined, { enforces: ['zdr', 'hipaa', 'redaction'] as Guardrail['enforces'], name: `clearing-${++made}` })
let made = 0

const zdr = { policy_url: 'https://example.com/zdr' }
const hipaa = { baa_url: 'https://example.com/baa' }

const cases: readonly [name: string, policy: PolicyLayer, options: object, isSent: boolean][] = [
  ['without the option', { logging: on }, {}, false],
  ['without logging', {}, { content: true }, false],
  ['with both', { logging: on }, { content: true }, true],
  ['under redaction', { logging: on, redaction: on }, { content: true, zdr, hipaa }, false],
  ['under ZDR without an agreement', { logging: on, zdr: on }, { content: true, hipaa }, false],
  ['under ZDR with one', { logging: on, zdr: on }, { content: true, zdr }, true],
  ['in HIPAA mode without an agreement', { logging: on, hipaa: on }, { content: true, zdr }, false],
  ['in HIPAA mode with one', { logging: on, hipaa: on }, { content: true, hipaa }, true],
  ['without traces of it', { logging: on }, { content: true, sampling: { ratio: 0 } }, false],
]

for (const [name, policy, options, isSent] of cases)
  t.test(`content ${name} is ${isSent ? '' : 'not '}sent`, async t => {
    const acme = witness('acme', (_, count) =>
      count % 2 === 1
        ? [text(`${canary}-answer `), text('said.'), usage(3, 2), stop]
        : [...calling(`${canary}-tool`, { word: `${canary}-argument` }), usage(3, 2), toCall],
    )
    const plugins = [acme.plugin, models, clearing()]
    const { under, collector, finish } = await telemetryStage(t, options, { plugins, key: { name: 'k', policy } })
    const body = {
      input: `${canary}-prompt`,
      instructions: `${canary}-instructions`,
      user: `${canary}-user`,
      safety_identifier: `${canary}-safety`,
      session_id: `${canary}-session`,
      prompt_cache_key: `${canary}-cache`,
      metadata: { note: `${canary}-metadata` },
      tools: [
        { type: 'function', name: `${canary}-tool`, description: `${canary}-description`, parameters: { type: 'object', properties: {} } },
      ],
    }
    for (const stream of [true, false]) {
      const reply = await under.request(`/v1/responses?secret=${canary}-query`, { body: { model: 'm', stream, ...body } })
      t.equal(reply.status, 200)
      await reply.text()
    }
    await ask(under, { model: `acme/${canary}-model` })
    await ask(under, { model: `${canary}-unknown` })
    await under.request(`/v1/${canary}-path?secret=${canary}-query`)
    await under.request('/v1/responses', { body: { model: 'm', input: 'hi' }, headers: { authorization: `Bearer ${canary}-secret` } })
    await under.recorded(6)
    await finish()
    const seen = collector.text()
    for (const never of [
      'query',
      'user',
      'safety',
      'session',
      'cache',
      'metadata',
      'tool',
      'description',
      'model',
      'unknown',
      'path',
      'secret',
    ])
      t.notOk(seen.includes(`${canary}-${never}`), `${never} never leaves`)
    for (const content of ['prompt', 'answer', 'instructions', 'argument']) t.equal(seen.includes(`${canary}-${content}`), isSent, content)
    if (!isSent) return
    const details = collector.logs().filter(({ event_name }) => event_name === 'gen_ai.client.inference.operation.details')
    const requests = collector.spans().filter(({ kind }) => kind === 2)
    t.match(details.slice(0, 2), [
      {
        span_id: requests[0]!['span_id'],
        at: {
          'gen_ai.system_instructions': [{ type: 'text', content: `${canary}-instructions` }],
          'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: `${canary}-prompt` }] }],
          'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: `${canary}-answer said.` }] }],
        },
      },
      { at: { 'gen_ai.output.messages': [{ parts: [{ type: 'tool_call', arguments: `{"word":"${canary}-argument"}` }] }] } },
    ])
  })

t.test('content of every surface for generations', async t => {
  const acme = witness('acme', () => [text('The answer.'), usage(3, 2), stop])
  const plugins = [acme.plugin, models, chatRoute({}), messagesRoute({}), geminiRoute({})]
  const policy = { logging: on }
  const { under, collector, finish } = await telemetryStage(t, { content: true }, { plugins, key: { name: 'k', policy } })
  const requests: readonly [string, object][] = [
    [
      '/v1/chat/completions',
      {
        model: 'm',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'The question.' },
        ],
      },
    ],
    ['/v1/messages', { model: 'm', max_tokens: 10, system: 'Be brief.', messages: [{ role: 'user', content: 'The question.' }] }],
    [
      '/v1beta/models/m:generateContent',
      { systemInstruction: { parts: [{ text: 'Be brief.' }] }, contents: [{ role: 'user', parts: [{ text: 'The question.' }] }] },
    ],
  ]
  for (const [path, body] of requests) t.equal((await under.request(path, { body })).status, 200, path)
  await under.recorded(3)
  await finish()
  const details = collector.logs().filter(({ event_name }) => event_name === 'gen_ai.client.inference.operation.details')
  t.equal(details.length, 3)
  for (const { at } of details) {
    t.match(at['gen_ai.input.messages'].at(-1), { role: 'user', parts: [{ type: 'text', content: 'The question.' }] })
    t.match(at['gen_ai.output.messages'], [{ role: 'assistant', parts: [{ type: 'text', content: 'The answer.' }] }])
    t.match(JSON.stringify(at), /Be brief/)
  }
})

t.test('words of the public APIs become messages, whatever their form', async t => {
  t.same(conversationOf(null, null), { instructions: [], input: [], output: [] })
  t.same(conversationOf({ input: 7, messages: [null, 7, []], contents: 'x' } as never, { output: 'x', choices: [null] } as never).output, [
    { role: 'assistant', parts: [{ type: 'text', content: 'x' }] },
  ])
  const call = { type: 'function_call', call_id: 'c1', name: 'secret_name', arguments: '{}' }
  const given = {
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'one' },
          { type: 'input_image', image_url: 'https://example.com/a.png' },
        ],
      },
      call,
      { type: 'function_call_output', call_id: 'c1', output: 'found' },
    ],
  }
  const { input } = conversationOf(given, null)
  t.same(input, [
    { role: 'user', parts: [{ type: 'text', content: 'one' }] },
    { role: 'user', parts: [{ type: 'tool_call', id: 'c1', name: 'function', arguments: '{}' }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', result: 'found' }] },
  ])
  const chat = {
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c2', type: 'function', function: { name: 'secret_name', arguments: '{"a":1}' } }],
      },
    ],
  }
  t.same(conversationOf(chat, null).input, [
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'c2', name: 'function', arguments: '{"a":1}' }] },
  ])
  const blocks = {
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'tool_use', id: 'c3', name: 'secret_name', input: { a: 1 } },
    ],
  }
  t.same(conversationOf(null, blocks).output, [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { type: 'tool_call', id: 'c3', name: 'function', arguments: { a: 1 } },
      ],
    },
  ])
  const parts = { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'secret_name', args: { a: 1 } } }] } }] }
  t.same(conversationOf(null, parts).output, [
    { role: 'assistant', parts: [{ type: 'tool_call', id: null, name: 'function', arguments: { a: 1 } }] },
  ])
})
