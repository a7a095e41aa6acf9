/** A stream as a vendor sends it, in frames. */
export interface StreamedReply {
  readonly contentType: string
  readonly events: readonly string[]
}

export const wires = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'cohere', 'ollama'] as const
export type Wire = (typeof wires)[number]

/** The same pieces of text in every dialect, in events as long as the vendor's. */
export function streamedReply(wire: Wire, deltas: number): StreamedReply {
  const texts = Array.from({ length: deltas }, (_, index) => words[(index + 1) % words.length]!)
  return { contentType: wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8', events: dialects[wire](texts) }
}

const words = [' the', ' gateway', ' answers', ' with', ' one', ' word', ' after', ' another', ',', ' quickly']
const promptTokens = 24

const dialects: Readonly<Record<Wire, (texts: readonly string[]) => readonly string[]>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  anthropic,
  gemini,
  cohere,
  ollama,
}

function chat(texts: readonly string[]): readonly string[] {
  const chunk = (choices: readonly object[], rest: object = {}): string =>
    data({
      id: 'chatcmpl-BenchBenchBenchBenchBenchBench',
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: 'bench-model',
      choices,
      ...rest,
    })
  const choice = (delta: object, finish_reason: string | null): object => ({ index: 0, delta, logprobs: null, finish_reason })
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: texts.length,
    total_tokens: promptTokens + texts.length,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
  return [
    chunk([choice({ role: 'assistant', content: '', refusal: null }, null)]),
    ...texts.map(content => chunk([choice({ content }, null)])),
    chunk([choice({}, 'stop')]),
    chunk([], { usage }),
    'data: [DONE]\n\n',
  ]
}

function responses(texts: readonly string[]): readonly string[] {
  let sequence_number = 0
  const event = (type: string, fields: object): string => named(type, { type, ...fields, sequence_number: sequence_number++ })
  const item_id = `msg_${'0123456789abcdef'.repeat(3)}00`
  const place = { item_id, output_index: 0, content_index: 0 }
  const text = texts.join('')
  const part = { type: 'output_text', annotations: [], logprobs: [], text }
  const item = { id: item_id, type: 'message', status: 'completed', content: [part], role: 'assistant' }
  const begun = { ...item, status: 'in_progress', content: [] }
  const response = {
    id: 'resp_bench',
    object: 'response',
    created_at: 1_790_000_000,
    model: 'bench-model',
    status: 'in_progress',
    output: [],
  }
  const usage = {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: texts.length,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: promptTokens + texts.length,
  }
  return [
    event('response.created', { response }),
    event('response.in_progress', { response }),
    event('response.output_item.added', { output_index: 0, item: begun }),
    event('response.content_part.added', { ...place, part: { ...part, text: '' } }),
    ...texts.map(delta =>
      // The obfuscation pads the text to 16 characters.
      event('response.output_text.delta', { ...place, delta, logprobs: [], obfuscation: 'AbCdEfGhIjKlMnOp'.slice(delta.length) }),
    ),
    event('response.output_text.done', { ...place, text, logprobs: [] }),
    event('response.content_part.done', { ...place, part }),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: { ...response, status: 'completed', output: [item], usage } }),
  ]
}

function anthropic(texts: readonly string[]): readonly string[] {
  const event = (type: string, fields: object): string => named(type, { type, ...fields })
  const usage = { input_tokens: promptTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 }
  const message = { model: 'bench-model', id: 'msg_bench', type: 'message', role: 'assistant', content: [], stop_reason: null, usage }
  return [
    event('message_start', { message }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping', {}),
    ...texts.map((text, index) =>
      // The vendor puts a varying number of spaces before the last brace.
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }).replace('}\n\n', `${' '.repeat(index % 12)}}\n\n`),
    ),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { ...usage, output_tokens: texts.length } }),
    event('message_stop', {}),
  ]
}

/** Every piece repeats the counts and the names of model and response. */
function gemini(texts: readonly string[]): readonly string[] {
  return texts.map((text, index) => {
    const response = {
      candidates: [
        { content: { parts: [{ text }], role: 'model' }, ...(index === texts.length - 1 && { finishReason: 'STOP' }), index: 0 },
      ],
      usageMetadata: {
        promptTokenCount: promptTokens,
        candidatesTokenCount: index + 1,
        totalTokenCount: promptTokens + index + 1,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
        serviceTier: 'standard',
      },
      modelVersion: 'bench-model',
      responseId: 'BenchBenchBenchBenchBen',
    }
    // There is a space after every colon, and lines end in CRLF.
    return `data: ${JSON.stringify(response).replaceAll('":', '": ')}\r\n\r\n`
  })
}

function cohere(texts: readonly string[]): readonly string[] {
  const event = (type: string, fields: object): string => named(type, { type, ...fields })
  const content = (text: object): object => ({ index: 0, delta: { message: { content: text } } })
  const tokens = { input_tokens: promptTokens, output_tokens: texts.length }
  return [
    event('message-start', {
      id: '00000000-0000-4000-8000-000000000000',
      delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
    }),
    event('content-start', content({ type: 'text', text: '' })),
    ...texts.map(text => event('content-delta', content({ text }))),
    event('content-end', { index: 0 }),
    event('message-end', { delta: { finish_reason: 'COMPLETE', usage: { billed_units: tokens, tokens } } }),
    'data: [DONE]\n\n',
  ]
}

function ollama(texts: readonly string[]): readonly string[] {
  const line = (content: string, fields: object): string =>
    `${JSON.stringify({ model: 'bench-model', created_at: '2026-01-01T00:00:00.000000000Z', message: { role: 'assistant', content }, ...fields })}\n`
  return [
    ...texts.map(content => line(content, { done: false })),
    line('', { done: true, done_reason: 'stop', total_duration: 1, prompt_eval_count: promptTokens, eval_count: texts.length }),
  ]
}

function named(event: string, value: object): string {
  return `event: ${event}\n${data(value)}`
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
