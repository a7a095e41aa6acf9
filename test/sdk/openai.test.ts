import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import t, { type Test } from 'tap'
import { fakeUpstream, sseFrame, type FakeReply, type ReceivedRequest } from '../../core/testing/index.ts'
import anthropic from '../../plugins/providers/anthropic/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import { listeningGateway } from '../gateway.ts'

const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
}

/** What the SDK does in every way that it has, against one model. */
async function everyWay(t: Test, client: OpenAI, model: string, toolModel = model): Promise<void> {
  const whole = await client.responses.create({ model, input: 'Say hello' })
  t.equal(whole.status, 'completed')
  t.ok(whole.output_text.length > 0, `create: ${whole.output_text}`)
  t.ok(whole.usage!.total_tokens > 0)

  let deltas = ''
  let last: OpenAI.Responses.ResponseStreamEvent | undefined
  for await (const event of await client.responses.create({ model, input: 'Say hello', stream: true })) {
    if (event.type === 'response.output_text.delta') deltas += event.delta
    last = event
  }
  t.equal(deltas, whole.output_text, 'stream: true')
  t.equal(last?.type, 'response.completed')

  const stream = client.responses.stream({ model, input: 'Say hello' })
  const final = await stream.finalResponse()
  t.equal(final.output_text, whole.output_text, '.stream()')

  const asked = await client.responses.create({ model: toolModel, input: 'How is the weather in Oslo?', tools: [weather] })
  const call = asked.output.find(item => item.type === 'function_call')
  t.equal(call?.name, 'get_weather')
  t.type(JSON.parse(call!.arguments).city, 'string')
  const answered = await client.responses.create({
    model: toolModel,
    tools: [weather],
    input: [
      { role: 'user', content: 'How is the weather in Oslo?' },
      call!,
      { type: 'function_call_output', call_id: call!.call_id, output: 'Sunny, 20 degrees' },
    ],
  })
  t.match(answered.output_text, /Sunny/, 'tool loop')

  const chained = await client.responses.create({ model, previous_response_id: whole.id, input: 'And again' })
  t.equal(chained.previous_response_id, whole.id)
  t.equal(chained.status, 'completed')
}

t.test('the openai SDK against the sandbox', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  const client = new OpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1`, maxRetries: 0 })
  await everyWay(t, client, 'sandbox/echo', 'sandbox/tools')

  const format = zodTextFormat(z.object({ city: z.string(), celsius: z.number() }), 'weather')
  const parsed = await client.responses.parse({ model: 'sandbox/echo', input: 'Oslo', text: { format } })
  t.type(parsed.output_parsed?.celsius, 'number', 'parse')

  const reasoned = await client.responses
    .stream({ model: 'sandbox/reasoning', input: 'Why?', include: ['reasoning.encrypted_content'] })
    .finalResponse()
  const again = await client.responses.create({
    model: 'sandbox/reasoning',
    input: [
      { role: 'user', content: 'Why?' },
      ...(reasoned.output as OpenAI.Responses.ResponseInputItem[]),
      { role: 'user', content: 'And now?' },
    ],
  })
  t.match(again.output_text, /I remember turn 1/, 'the state comes back')

  const listed = await client.models.list()
  t.ok(listed.data.some(({ id }) => id === 'echo'))
  t.equal((await client.models.retrieve('echo')).id, 'echo')

  await t.rejects(client.responses.create({ model: 'sandbox/fail', input: '429' }), { status: 429, code: 'rate_limit_exceeded' })
  await t.rejects(client.responses.create({ model: 'sandbox/none-such-model-x', input: 'hi' }), { status: 400, code: 'model_not_found' })
  const failing = client.responses.stream({ model: 'sandbox/fail', input: '{"status":503,"after":2}' })
  failing.on('error', () => {})
  await t.rejects(failing.finalResponse())
})

const sse = (body: string): FakeReply => ({ headers: { 'content-type': 'text/event-stream' }, body })
const json = (body: object): FakeReply => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

interface Turn {
  readonly text?: string
  readonly call?: boolean
}

/** What the fake vendors say: a greeting, a call where tools are offered, and what the tool said. */
function turnFor({ body, text }: ReceivedRequest): Turn {
  if (text.includes('Sunny')) return { text: 'It is Sunny there.' }
  return (body as { tools?: unknown }).tools ? { call: true } : { text: 'Hello to you' }
}

function chatReply(request: ReceivedRequest): FakeReply {
  const { text, call } = turnFor(request)
  const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
  const calls = [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }]
  const common = { id: 'chatcmpl-1', created: 1, model: 'm' }
  if (!(request.body as { stream?: boolean }).stream) {
    const message = call ? { role: 'assistant', content: null, tool_calls: calls } : { role: 'assistant', content: text }
    return json({
      ...common,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }],
      usage,
    })
  }
  const chunk = (delta: object, finish: string | null = null): string =>
    sseFrame({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })
  const said = call
    ? chunk({ tool_calls: calls.map((entry, index) => ({ index, ...entry })) })
    : text!
        .split(' ')
        .map((word, index) => chunk({ content: (index ? ' ' : '') + word }))
        .join('')
  return sse(
    `${said}${chunk({}, call ? 'tool_calls' : 'stop')}${sseFrame({ ...common, object: 'chat.completion.chunk', choices: [], usage })}data: [DONE]\n\n`,
  )
}

function anthropicReply(request: ReceivedRequest): FakeReply {
  const { text, call } = turnFor(request)
  const block = call ? { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } } : { type: 'text', text }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [block],
    stop_reason: call ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 4 },
  }
  if (!(request.body as { stream?: boolean }).stream) return json(message)
  const event = (data: { readonly type: string }): string => sseFrame(data, data.type)
  const pieces = call
    ? [
        { type: 'input_json_delta', partial_json: '{"city":' },
        { type: 'input_json_delta', partial_json: '"Oslo"}' },
      ]
    : text!.split(' ').map((word, index) => ({ type: 'text_delta', text: (index ? ' ' : '') + word }))
  const start = { type: 'message_start', message: { ...message, content: [], stop_reason: null } }
  return sse(
    [
      event(start),
      event({ type: 'content_block_start', index: 0, content_block: call ? { ...block, input: {} } : { type: 'text', text: '' } } as {
        type: string
      }),
      ...pieces.map(delta => event({ type: 'content_block_delta', index: 0, delta } as { type: string })),
      event({ type: 'content_block_stop', index: 0 } as { type: string }),
      event({ type: 'message_delta', delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 4 } } as {
        type: string
      }),
      event({ type: 'message_stop' }),
    ].join(''),
  )
}

function responsesReply(request: ReceivedRequest): FakeReply {
  const { text, call } = turnFor(request)
  const item = call
    ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}', status: 'completed' }
    : { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }
  const usage = {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 13,
  }
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [item],
    usage,
    error: null,
    incomplete_details: null,
  }
  if (!(request.body as { stream?: boolean }).stream) return json(response)
  let sequence = 0
  const event = (type: string, fields: object): string => sseFrame({ type, sequence_number: sequence++, ...fields }, type)
  const place = { item_id: item.id, output_index: 0, content_index: 0 }
  const body = call
    ? event('response.function_call_arguments.delta', { ...place, delta: '{"city":"Oslo"}' })
    : event('response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } }) +
      text!
        .split(' ')
        .map((word, index) => event('response.output_text.delta', { ...place, delta: (index ? ' ' : '') + word }))
        .join('')
  return sse(
    event('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } }) +
      event('response.output_item.added', {
        output_index: 0,
        item: call ? { ...item, arguments: '', status: 'in_progress' } : { ...item, content: [], status: 'in_progress' },
      }) +
      body +
      event('response.output_item.done', { output_index: 0, item }) +
      event('response.completed', { response }),
  )
}

t.test('the openai SDK through the three wires', async t => {
  const chat = await fakeUpstream(chatReply)
  const messages = await fakeUpstream(anthropicReply)
  const responses = await fakeUpstream(responsesReply)
  const apiKey = 'sk-demo-1'
  const under = await listeningGateway({
    plugins: [
      openaiChat({ id: 'chat', apiKey, baseUrl: chat.url }),
      anthropic({ id: 'messages', apiKey, baseUrl: messages.url }),
      openaiResponses({ id: 'responses', apiKey, baseUrl: responses.url }),
    ],
  })
  t.teardown(async () => {
    await under.stop()
    await Promise.all([chat.close(), messages.close(), responses.close()])
  })
  const client = new OpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1`, maxRetries: 0 })
  for (const id of ['chat', 'messages', 'responses']) await t.test(id, t => everyWay(t, client, `${id}/some-model`))
})
