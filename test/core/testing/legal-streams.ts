// Streams that the protocol allows, written out by hand, as the checker's own test needs them.

export type Event = Record<string, any>

/** Writes events with running sequence numbers, and keeps the items that were done. */
class StreamWriter {
  readonly events: Event[] = []
  readonly items: Event[] = []

  send(type: string, members: Event): this {
    this.events.push({ type, sequence_number: this.events.length, ...members })
    return this
  }

  create(): this {
    return this.send('response.created', { response: response('in_progress', []) })
  }

  beat(): this {
    return this.send('response.in_progress', { response: response('in_progress', [...this.items]) })
  }

  add(item: Event): this {
    return this.send('response.output_item.added', { output_index: this.items.length, item })
  }

  done(item: Event): this {
    this.send('response.output_item.done', { output_index: this.items.length, item })
    this.items.push(item)
    return this
  }

  /** The whole of one part: its deltas in order, with an annotation where an entry is one. */
  part(
    kind: 'output_text' | 'refusal' | 'summary_text' | 'reasoning_text',
    itemId: string,
    index: number,
    pieces: readonly (string | Event)[],
  ): Event {
    const summary = kind === 'summary_text'
    const at = { item_id: itemId, output_index: this.items.length, [summary ? 'summary_index' : 'content_index']: index }
    const prefix = summary ? 'response.reasoning_summary_text' : `response.${kind}`
    const part = summary ? 'response.reasoning_summary_part' : 'response.content_part'
    const logprobs = kind === 'output_text' ? { logprobs: [] } : {}
    const annotations = pieces.filter(piece => typeof piece !== 'string')
    const text = pieces.filter(piece => typeof piece === 'string').join('')
    const body = (said: string, notes: readonly Event[]): Event => ({
      type: kind,
      [kind === 'refusal' ? 'refusal' : 'text']: said,
      ...(kind === 'output_text' && { annotations: notes, logprobs: [] }),
    })
    this.send(`${part}.added`, { ...at, part: body('', []) })
    let annotated = 0
    for (const piece of pieces)
      if (typeof piece === 'string') this.send(`${prefix}.delta`, { ...at, delta: piece, ...logprobs })
      else this.send(`${prefix}.annotation.added`, { ...at, annotation_index: annotated++, annotation: piece })
    this.send(`${prefix}.done`, { ...at, [kind === 'refusal' ? 'refusal' : 'text']: text, ...logprobs })
    this.send(`${part}.done`, { ...at, part: body(text, annotations) })
    return body(text, annotations)
  }

  message(id: string, parts: readonly (readonly (string | Event)[])[], status = 'completed'): this {
    const base = { type: 'message', id, role: 'assistant' }
    this.add({ ...base, status: 'in_progress', content: [] })
    const content = parts.map((pieces, index) => this.part('output_text', id, index, pieces))
    return this.done({ ...base, status, content })
  }

  call(id: string, callId: string, name: string, pieces: readonly string[]): this {
    const base = { type: 'function_call', id, call_id: callId, name }
    const at = { item_id: id, output_index: this.items.length, call_id: callId }
    this.add({ ...base, status: 'in_progress', arguments: '' })
    for (const delta of pieces) this.send('response.function_call_arguments.delta', { ...at, delta })
    this.send('response.function_call_arguments.done', { ...at, name, arguments: pieces.join('') })
    return this.done({ ...base, status: 'completed', arguments: pieces.join('') })
  }

  complete(): Event[] {
    return this.send('response.completed', { response: response('completed', this.items) }).events
  }

  stop(reason: string): Event[] {
    const incomplete_details = { reason }
    return this.send('response.incomplete', { response: { ...response('incomplete', this.items), incomplete_details } }).events
  }

  fail(output: readonly Event[] = this.items): Event[] {
    const error = { code: 'provider_error', message: 'The provider closed the connection.' }
    this.send('error', { ...error, param: null, error: { type: 'server_error', ...error, param: null } })
    return this.send('response.failed', { response: { ...response('failed', output), error } }).events
  }
}

const usage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2, cached_tokens_created: 2 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 21,
  tool_calls: {},
  cost_usd: null,
}

export function response(status: 'in_progress' | 'completed' | 'incomplete' | 'failed', output: readonly Event[]): Event {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_780_000_000,
    completed_at: status === 'completed' ? 1_780_000_003 : null,
    status,
    model: 'demo/small-1',
    output,
    error: null,
    incomplete_details: null,
    instructions: null,
    previous_response_id: null,
    reasoning: { effort: 'low', summary: null },
    usage: status === 'in_progress' ? null : usage,
    max_output_tokens: null,
    max_tool_calls: null,
    safety_identifier: null,
    prompt_cache_key: null,
    tools: [{ type: 'function', name: 'weather', description: null, parameters: { type: 'object' }, strict: null }, { type: 'web_search' }],
    tool_choice: 'auto',
    truncation: 'disabled',
    parallel_tool_calls: true,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    top_p: 1,
    temperature: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    store: false,
    background: false,
    service_tier: 'default',
    metadata: {},
    conversation: null,
    prompt: null,
    prompt_cache_options: null,
    prompt_cache_retention: null,
    user: null,
  }
}

const stream = (): StreamWriter => new StreamWriter().create()
const citation = (start: number, end: number): Event => ({
  type: 'url_citation',
  url: 'https://example.com/a',
  title: 'A',
  start_index: start,
  end_index: end,
})

function refusal(): Event[] {
  const it = stream().add({ type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] })
  const part = it.part('refusal', 'msg_1', 0, ['I can', 'not do that.'])
  return it.done({ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [part] }).complete()
}

function reasoning(): Event[] {
  const it = stream().add({ type: 'reasoning', id: 'rs_1', status: 'in_progress', summary: [] })
  const summary = [it.part('summary_text', 'rs_1', 0, ['First', ' this']), it.part('summary_text', 'rs_1', 1, ['then that'])]
  const content = [it.part('reasoning_text', 'rs_1', 0, ['Let me', ' think'])]
  return it
    .done({ type: 'reasoning', id: 'rs_1', status: 'completed', summary, content, encrypted_content: 'sealed-1' })
    .message('msg_1', [['Done.']])
    .complete()
}

/** The spec's kinds that have no events between `added` and `done`. */
function whole(): Event[] {
  const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'shell' }
  const action = { type: 'search', query: 'weather in Oslo', sources: [{ type: 'url', url: 'https://example.com/oslo' }] }
  return stream()
    .add({ type: 'web_search_call', id: 'ws_1', status: 'in_progress' })
    .done({ type: 'web_search_call', id: 'ws_1', status: 'completed', action })
    .add({ ...custom, status: 'in_progress', input: '' })
    .done({ ...custom, status: 'completed', input: 'ls -l' })
    .add({ type: 'compaction', id: 'cmp_1' })
    .done({ type: 'compaction', id: 'cmp_1', encrypted_content: 'sealed-2' })
    .complete()
}

function cutInMidItem(): Event[] {
  const it = stream().message('msg_1', [['Whole.']])
  it.add({ type: 'message', id: 'msg_2', status: 'in_progress', role: 'assistant', content: [] })
  const at = { item_id: 'msg_2', output_index: 1, content_index: 0 }
  it.send('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [], logprobs: [] } })
  it.send('response.output_text.delta', { ...at, delta: 'Hal', logprobs: [] })
  return it.fail()
}

function heartbeats(): Event[] {
  const it = stream()
    .beat()
    .message('msg_1', [['One.']])
    .beat()
    .beat()
  return it
    .message('msg_2', [['Two.']])
    .beat()
    .complete()
}

export const legalStreams: Readonly<Record<string, readonly Event[]>> = {
  text: stream()
    .message('msg_1', [['Hel', 'lo', ' there']])
    .complete(),
  'several parts': stream()
    .message('msg_1', [['One', ' part'], ['another']])
    .message('msg_2', [['again']])
    .complete(),
  refusal: refusal(),
  reasoning: reasoning(),
  'parallel calls': stream().call('fc_1', 'call_1', 'weather', ['{"city"', ':"Oslo"}']).call('fc_2', 'call_2', 'time', ['{}']).complete(),
  'items without a body': whole(),
  incomplete: stream()
    .message('msg_1', [['An', ' end']], 'incomplete')
    .stop('max_output_tokens'),
  'stopped by a filter': stream().stop('content_filter'),
  'failure before any item': stream().fail(),
  'failure inside an item': cutInMidItem(),
  'failure that keeps nothing': stream()
    .message('msg_1', [['Lost.']])
    .fail([]),
  heartbeats: heartbeats(),
  annotations: stream()
    .message('msg_1', [['Oslo is', citation(0, 4), ' cold', citation(5, 12), '.']])
    .complete(),
  'a long text': stream()
    .message('msg_1', [Array.from({ length: 120 }, (_, index) => `${index} `)])
    .complete(),
}
