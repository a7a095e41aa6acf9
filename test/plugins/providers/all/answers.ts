import { sseFrame } from '../../../../core/testing/index.ts'
import { encodeEvent } from '../oracle/bedrock-framing.ts'

/** `Hello.` in one dialect, whole and as a stream. */
export interface VendorAnswer {
  readonly whole: string
  readonly stream: string | Uint8Array
  readonly streamType: string
}

const sse = 'text/event-stream'
const events = (...data: readonly object[]): string =>
  data.map(each => sseFrame(each, 'type' in each && typeof each.type === 'string' ? each.type : undefined)).join('')

const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' } as const
const said = { ...message, content: [{ type: 'output_text', text: 'Hello.', annotations: [] }] }
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'demo',
  output: [said],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  error: null,
  incomplete_details: null,
}
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }

export const responses: VendorAnswer = {
  whole: JSON.stringify(response),
  stream: events(
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    { type: 'response.output_item.added', output_index: 0, item: { ...message, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...place, delta: 'Hello.' },
    { type: 'response.output_item.done', output_index: 0, item: said },
    { type: 'response.completed', response },
  ),
  streamType: sse,
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const chunk = { id: 'chat_1', object: 'chat.completion.chunk', created: 1, model: 'demo' }

export const chat: VendorAnswer = {
  whole: JSON.stringify({
    ...chunk,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage,
  }),
  stream: `${events(
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello.' }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage },
  )}data: [DONE]\n\n`,
  streamType: sse,
}

const claude = { id: 'msg_1', type: 'message', role: 'assistant', model: 'demo', stop_sequence: null }
const counts = { input_tokens: 3, output_tokens: 2 }

export const messages: VendorAnswer = {
  whole: JSON.stringify({ ...claude, content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'end_turn', usage: counts }),
  stream: events(
    { type: 'message_start', message: { ...claude, content: [], stop_reason: null, usage: counts } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ),
  streamType: sse,
}

const candidate = { content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP', index: 0 }
const generated = { candidates: [candidate], usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 } }

export const gemini: VendorAnswer = { whole: JSON.stringify(generated), stream: events(generated), streamType: sse }

/** `usage` as the vendor sends it. */
export const converseWith = (usage: unknown): VendorAnswer => ({
  whole: JSON.stringify({
    output: { message: { role: 'assistant', content: [{ text: 'Hello.' }] } },
    stopReason: 'end_turn',
    usage,
    metrics: { latencyMs: 1 },
  }),
  stream: Buffer.concat([
    encodeEvent('messageStart', { role: 'assistant' }),
    encodeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello.' } }),
    encodeEvent('contentBlockStop', { contentBlockIndex: 0 }),
    encodeEvent('messageStop', { stopReason: 'end_turn' }),
    encodeEvent('metadata', { usage, metrics: { latencyMs: 1 } }),
  ]),
  streamType: 'application/vnd.amazon.eventstream',
})

export const converse = converseWith({ inputTokens: 3, outputTokens: 2, totalTokens: 5 })

const billed = { billed_units: { input_tokens: 3, output_tokens: 2 }, tokens: { input_tokens: 3, output_tokens: 2 } }

export const cohere: VendorAnswer = {
  whole: JSON.stringify({
    id: 'c_1',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    usage: billed,
  }),
  stream: events(
    { id: 'c_1', type: 'message-start', delta: { message: { role: 'assistant', content: [] } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hello.' } } } },
    { type: 'content-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: billed } },
  ),
  streamType: sse,
}

const local = { model: 'demo', created_at: '2026-01-01T00:00:00Z' }
const done = { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 }

export const ollama: VendorAnswer = {
  whole: JSON.stringify({ ...local, message: { role: 'assistant', content: 'Hello.' }, ...done }),
  stream: [
    { ...local, message: { role: 'assistant', content: 'Hello.' }, done: false },
    { ...local, message: { role: 'assistant', content: '' }, ...done },
  ]
    .map(line => `${JSON.stringify(line)}\n`)
    .join(''),
  streamType: 'application/x-ndjson',
}
