import { sseFrame, type FakeReply, type ReceivedRequest } from '../../core/testing/index.ts'

// Replies of fake vendors in three dialects: a call of `get_weather` or a web search if tools are offered, the tool's output after a
// call, and otherwise a greeting.

export function chatReply(request: ReceivedRequest): FakeReply {
  const { text, call } = turnFor(request)
  const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
  const calls = [{ id: 'call_1', type: 'function', function: functionFor(request) }]
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

export function anthropicReply(request: ReceivedRequest): FakeReply {
  const { text, call } = turnFor(request)
  const block = call
    ? { type: 'tool_use', id: 'toolu_1', name: functionFor(request).name, input: JSON.parse(functionFor(request).arguments) }
    : { type: 'text', text }
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
        { type: 'input_json_delta', partial_json: functionFor(request).arguments.slice(0, 8) },
        { type: 'input_json_delta', partial_json: functionFor(request).arguments.slice(8) },
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

export function responsesReply(request: ReceivedRequest): FakeReply {
  const { text, call } = turnFor(request)
  const item = call
    ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', ...functionFor(request), status: 'completed' }
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
    ? event('response.function_call_arguments.delta', { ...place, delta: functionFor(request).arguments })
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

interface Turn {
  readonly text?: string
  readonly call?: boolean
}

function turnFor({ body, text }: ReceivedRequest): Turn {
  if (text.includes('Sunny')) return { text: 'It is Sunny there.' }
  return (body as { tools?: readonly unknown[] }).tools?.length ? { call: true } : { text: 'Hello to you' }
}

/** A search if one is offered. */
function functionFor({ text }: ReceivedRequest): { readonly name: string; readonly arguments: string } {
  if (text.includes('"managed_web_search"')) return { name: 'managed_web_search', arguments: '{"query":"weather Oslo"}' }
  return { name: 'get_weather', arguments: '{"city":"Oslo"}' }
}

function sse(body: string): FakeReply {
  return { headers: { 'content-type': 'text/event-stream' }, body }
}

function json(body: object): FakeReply {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
