import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import chat from '../../../../plugins/endpoints/chat/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { guarding, stop, text, witness } from '../../../kit/stage.ts'
import { askChat, type ChatReply } from './stage.ts'

/** The request that core made of the body, as a provider of another dialect gets it, and the reply. */
async function asked(body: object): Promise<{ readonly request: JsonObject; readonly reply: ChatReply }> {
  const { plugin, calls } = witness('acme', () => [text('ok'), stop], { dialect: 'another' })
  const under = await gateway({ plugins: [chat({}), plugin] })
  try {
    const reply = await askChat(under, { model: 'acme/m', ...body })
    const { prompt_cache_key: _, ...request } = (calls[0]?.request ?? {}) as unknown as JsonObject
    return { request, reply }
  } finally {
    await under.stop()
  }
}

t.test('messages of every role and part', async t => {
  const { request } = await asked({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'In French.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:', cache_control: { type: 'ephemeral' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        refusal: 'No.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"x": 1}' } },
          { id: 'call_2', type: 'custom', custom: { name: 'patch', input: 'text' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'sun' }] },
      { role: 'tool', tool_call_id: 'call_2', content: 'done' },
    ],
  })
  t.match(request['input'], [
    { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'In French.' }] },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look:', cache_control: { type: 'ephemeral' } },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
        { type: 'input_file', file_data: 'data:audio/mpeg;base64,AAAA' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      ],
    },
    { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"x": 1}' },
    { call_id: 'call_2', name: 'patch' },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'sun' }] },
    { call_id: 'call_2', output: 'done' },
  ])
})

t.test('the older form of calls has ids that stay the same', async t => {
  const turn = (x: number): readonly object[] => [
    { role: 'assistant', content: null, function_call: { name: 'look', arguments: `{"x":${x}}` } },
    { role: 'function', name: 'look', content: `${x}` },
  ]
  const body = { functions: [{ name: 'look', parameters: { type: 'object' } }], function_call: { name: 'look' } }
  const { request } = await asked({ ...body, messages: [{ role: 'user', content: 'hi' }, ...turn(1), ...turn(2)] })
  t.match(request, {
    tools: [{ type: 'function', name: 'look' }],
    tool_choice: { type: 'function', name: 'look' },
    input: [
      {},
      { type: 'function_call', call_id: 'call_function_1' },
      { type: 'function_call_output', call_id: 'call_function_1', output: '1' },
      { type: 'function_call', call_id: 'call_function_2' },
      { type: 'function_call_output', call_id: 'call_function_2', output: '2' },
    ],
  })
})

const tools = [
  { type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: true } },
  { type: 'function', function: { name: 'find' } },
]

t.test('parameters', async t => {
  const cases: readonly (readonly [body: object, request: object])[] = [
    [{ max_tokens: 5 }, { max_output_tokens: 5 }],
    [{ max_tokens: 5, max_completion_tokens: 6 }, { max_output_tokens: 6 }],
    [
      { temperature: 0, top_p: 0.5, top_k: 3, seed: -1 },
      { temperature: 0, top_p: 0.5, top_k: 3, seed: -1 },
    ],
    [
      { presence_penalty: 1, frequency_penalty: -1 },
      { presence_penalty: 1, frequency_penalty: -1 },
    ],
    [{ stop: 'END' }, { stop: ['END'] }],
    [{ stop: ['A', 'B'] }, { stop: ['A', 'B'] }],
    [{ logit_bias: { 50256: -100 } }, { logit_bias: { 50256: -100 } }],
    [
      { logprobs: true, top_logprobs: 2 },
      { logprobs: true, top_logprobs: 2 },
    ],
    [{ reasoning_effort: 'low' }, { reasoning: { effort: 'low' } }],
    [{ reasoning: { effort: 'high' } }, { reasoning: { effort: 'high', summary: 'auto' } }],
    [{ reasoning: { enabled: true } }, { reasoning: { effort: 'medium', summary: 'auto' } }],
    [{ reasoning: { enabled: false } }, { reasoning: { effort: 'none' } }],
    [{ thinking: { type: 'disabled' } }, { reasoning: { effort: 'none' } }],
    [{ verbosity: 'low' }, { text: { verbosity: 'low' } }],
    [{ response_format: { type: 'json_object' } }, { text: { format: { type: 'json_object' } } }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } } },
      { text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true } } },
    ],
    [
      { tools, tool_choice: 'required', parallel_tool_calls: false },
      {
        tools: [{ type: 'function', name: 'look', description: 'Looks.', strict: true }, { name: 'find' }],
        tool_choice: 'required',
        parallel_tool_calls: false,
      },
    ],
    [{ tools, tool_choice: { type: 'function', function: { name: 'look' } } }, { tool_choice: { type: 'function', name: 'look' } }],
    [
      {
        tools,
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'find' } }] },
        },
      },
      { tools: [{ name: 'find' }], tool_choice: 'required' },
    ],
    [{ service_tier: 'flex' }, { service_tier: 'flex' }],
    [{ service_tier: 'fast' }, { service_tier: 'priority' }],
    [{ service_tier: 'ultrafast' }, { service_tier: 'ultrafast' }],
    [{ cache_control: { type: 'ephemeral' } }, { cache_control: { type: 'ephemeral' } }],
  ]
  for (const [body, request] of cases) {
    const seen = await asked(body)
    t.equal(seen.reply.status, 200, JSON.stringify(body))
    t.match(seen.request, request, JSON.stringify(body))
  }
})

t.test('no vendor gets the user, the metadata or an order to store', async t => {
  const { request, reply } = await asked({ user: 'ada', metadata: { a: 'b' }, store: true, safety_identifier: 'ada' })
  t.notMatch(JSON.stringify(request), /ada|metadata|"store"/)
  t.match(reply.headers.get('x-gateway-warnings'), /store: completions are not stored/)
})

t.test('what only this API can say is named where it is lost', async t => {
  const { request, reply } = await asked({
    prediction: { type: 'content', content: 'hi' },
    messages: [
      {
        role: 'user',
        name: 'ada',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
        ],
      },
    ],
    tools: [...tools, { type: 'openrouter:datetime' }],
  })
  const warnings = reply.headers.get('x-gateway-warnings')!
  for (const name of ['prediction', 'name', 'video_url', 'openrouter:datetime']) t.match(warnings, name)
  t.notMatch(JSON.stringify(request), /prediction|ada|video|datetime/)
})

t.test('an answer of another form needs an upstream of this API', async t => {
  const { reply } = await asked({ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } })
  t.equal(reply.status, 400)
  t.match(reply.body.error, { param: 'modalities', message: /acme\/m/ })
  t.equal((await asked({ modalities: ['text'] })).reply.status, 200)
})

t.test('an answer that a guardrail cannot read is refused', async t => {
  const { plugin, calls } = witness('acme', () => [text('ok'), stop], { dialect: 'openai-chat' })
  const under = await gateway({ plugins: [chat({}), plugin, guarding({ input: () => ({ pass: true }) })] })
  t.teardown(under.stop)
  const reply = await askChat(under, { model: 'acme/m', modalities: ['audio'] })
  t.match([reply.status, reply.body.error['param'], calls.length], [400, 'modalities', 0])
})

t.test('an error of a model names the message', async t => {
  const { plugin } = witness('acme', () => [text('ok'), stop])
  const under = await gateway({ plugins: [chat({}), plugin] })
  t.teardown(under.stop)
  const image = { type: 'image_url', image_url: { url: 'http://127.0.0.1/a.png' } }
  const reply = await askChat(under, {
    model: 'acme/m',
    messages: [
      { role: 'system', content: 'a' },
      { role: 'user', content: [image] },
    ],
  })
  t.match([reply.status, reply.body.error['param']], [400, 'messages[1]'])
  t.notMatch(reply.body.error['message'], /input\[/)
})

t.test('bad members are named by their path', async t => {
  const cases: readonly (readonly [body: object, param: string])[] = [
    [{ messages: [] }, 'messages'],
    [{ messages: 'hi' }, 'messages'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'robot', content: 'hi' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text'],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] }, 'messages[0].content[0].image_url'],
    [{ messages: [{ role: 'tool', content: 'a' }] }, 'messages[0].tool_call_id'],
    [{ messages: [{ role: 'assistant', tool_calls: [{ id: '', function: { name: 'a' } }] }] }, 'messages[0].tool_calls[0].id'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ n: 9 }, 'n'],
    [{ temperature: 3 }, 'temperature'],
    [{ stop: [''] }, 'stop'],
    [{ top_logprobs: 3 }, 'top_logprobs'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    [{ tools: [tools[0], tools[0]] }, 'tools[1].function.name'],
    [{ tools, tool_choice: { type: 'function', function: { name: 'nobody' } } }, 'tool_choice.function'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
    [{ reasoning_effort: 'enormous' }, 'reasoning_effort'],
  ]
  for (const [body, param] of cases) {
    const { reply } = await asked(body)
    t.equal(reply.status, 400, JSON.stringify(body))
    t.match(reply.body.error['param'], new RegExp(`^${param.replaceAll(/[[\].]/g, '\\$&')}`), JSON.stringify(body))
  }
})
