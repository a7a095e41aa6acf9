import type { JsonObject } from '../../../../core/index.ts'

// What vendors say in a loop of tools, in their own words: a thought, a text and two calls; a thought and a text; a text after a search.

const signature = 'c2lnbmF0dXJlIG9mIGEgdGhvdWdodA=='
const input = { b: 1.5, a: [], 2: { z: null } }
const text = JSON.stringify(input, undefined, 2)
const page = 'https://example.com/weather'

type Turns = readonly JsonObject[]

const chat = (message: JsonObject): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: message['tool_calls'] ? 'tool_calls' : 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
})
const chatCalls = [
  { id: 'call_1', type: 'function', function: { name: 'look', arguments: text } },
  { id: 'functions.look:1', type: 'function', function: { name: 'look', arguments: '{}' } },
]
const chatSearched = {
  content: 'It rains [1].',
  annotations: [{ type: 'url_citation', url_citation: { url: page, title: 'Weather', start_index: 9, end_index: 12 } }],
}

/** `thought`: how the host says one. */
export function chatTurns(thought: (text: string) => JsonObject): Turns {
  return [
    chat({ content: 'Let me see.\n', ...thought('Hm.'), tool_calls: chatCalls }),
    chat({ content: 'It is there. ', ...thought('Aha.') }),
    chat(chatSearched),
  ]
}

const response = (...output: readonly JsonObject[]): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output,
  usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
  error: null,
  incomplete_details: null,
})
const thought = (id: string): JsonObject => ({
  type: 'reasoning',
  id,
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: signature,
})
const message = (text: string, ...annotations: readonly JsonObject[]): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  phase: 'commentary',
  content: [{ type: 'output_text', text, annotations, logprobs: [] }],
})
const called = (id: string, args: string): JsonObject => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'look',
  arguments: args,
  status: 'completed',
})

export const responsesTurns: Turns = [
  response(thought('rs_1'), message('Let me see.\n'), called('call_1', text), thought('rs_2'), called('call_2', '{}')),
  response(thought('rs_3'), message('It is there. ')),
  response(
    {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'weather', sources: [{ type: 'url', url: page }] },
    },
    message('It rains.', { type: 'url_citation', url: page, title: 'Weather', start_index: 0, end_index: 9 }),
  ),
]

const claude = (stop_reason: string, ...content: readonly JsonObject[]): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 4 },
})

export const messagesTurns: Turns = [
  claude(
    'tool_use',
    { type: 'thinking', thinking: 'Hm.', signature },
    { type: 'redacted_thinking', data: signature },
    { type: 'text', text: 'Let me see.\n' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input },
    { type: 'tool_use', id: 'toolu_2', name: 'look', input: {} },
  ),
  claude('end_turn', { type: 'thinking', thinking: '', signature }, { type: 'text', text: 'It is there. ' }),
  claude(
    'end_turn',
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'weather' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', url: page, title: 'Weather', encrypted_content: signature, page_age: null }],
    },
    {
      type: 'text',
      text: 'It rains.',
      citations: [{ type: 'web_search_result_location', url: page, title: 'Weather', encrypted_index: signature, cited_text: 'rain' }],
    },
  ),
]

const candidate = (...parts: readonly JsonObject[]): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
})

export const geminiTurns: Turns = [
  candidate(
    { text: 'Hm.', thought: true },
    { text: 'Let me see.\n' },
    { functionCall: { name: 'look', args: input }, thoughtSignature: signature },
    { functionCall: { name: 'look', args: {} } },
  ),
  candidate({ text: 'It is ', thoughtSignature: signature }, { text: 'there. ' }, { text: '', thoughtSignature: signature }),
  candidate({ text: 'It rains.' }),
]

const converse = (stopReason: string, ...content: readonly JsonObject[]): JsonObject => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13 },
  metrics: { latencyMs: 1 },
})

export const converseTurns: Turns = [
  converse(
    'tool_use',
    { reasoningContent: { reasoningText: { text: 'Hm.', signature } } },
    { text: 'Let me see.\n' },
    { toolUse: { toolUseId: 'tooluse_1', name: 'look', input } },
    { toolUse: { toolUseId: 'tooluse_2', name: 'look', input: {} } },
  ),
  converse('end_turn', { reasoningContent: { redactedContent: signature } }, { text: 'It is there. ' }),
  converse('end_turn', { text: 'It rains.' }),
]

const cohere = (finish_reason: string, message: JsonObject): JsonObject => ({
  id: 'c_1',
  finish_reason,
  message: { role: 'assistant', ...message },
  usage: { billed_units: { input_tokens: 9, output_tokens: 4 }, tokens: { input_tokens: 9, output_tokens: 4 } },
})

export const cohereTurns: Turns = [
  cohere('TOOL_CALL', { content: [{ type: 'thinking', thinking: 'Hm.' }], tool_plan: 'Let me see.\n', tool_calls: chatCalls }),
  cohere('COMPLETE', {
    content: [
      { type: 'thinking', thinking: 'Aha.' },
      { type: 'text', text: 'It is there. ' },
    ],
  }),
  cohere('COMPLETE', {
    content: [{ type: 'text', text: 'It rains.' }],
    citations: [{ start: 0, end: 2, text: 'It', sources: [{ type: 'tool', id: 'call_1:0', tool_output: { a: 1 } }] }],
  }),
]

const ollama = (message: JsonObject): JsonObject => ({
  model: 'm',
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', ...message },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 9,
  eval_count: 4,
})

export const ollamaTurns: Turns = [
  ollama({
    content: 'Let me see.\n',
    thinking: 'Hm.',
    tool_calls: [input, {}].map(args => ({ function: { name: 'look', arguments: args } })),
  }),
  ollama({ content: 'It is there. ', thinking: 'Aha.' }),
  ollama({ content: 'It rains.' }),
]
