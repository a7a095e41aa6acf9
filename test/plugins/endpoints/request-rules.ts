// Bodies of `POST /v1/responses`, each under the rule that it keeps or breaks. The words are those of spec.md and contract/responses.md.

const hi = { model: 'acme/m', input: 'hi' }
const png = 'data:image/png;base64,iVBORw0KGgo='
const parameters = { type: 'object', properties: { a: { type: ['string', 'null'], default: null } } }
const f = { type: 'function', name: 'f' }
const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }

const withPart = (part: object): object => ({ ...hi, input: [{ role: 'user', content: [part] }] })
const withItems = (...input: readonly object[]): object => ({ ...hi, input })
const letters = (count: number): string => 'x'.repeat(count)
/** Each is two UTF-16 code units, and one character. */
const faces = (count: number): string => '\u{1f600}'.repeat(count)

export const accepted: readonly (readonly [rule: string, body: object])[] = [
  ['input: a string has minLength 1', hi],
  ['input: an array has minItems 1', withItems({ role: 'user', content: 'hi' })],
  ['include: at most 8 items', { ...hi, include: Array.from({ length: 8 }, () => 'reasoning.encrypted_content') }],
  ['max_output_tokens: greater than 0', { ...hi, max_output_tokens: 1 }],
  ['max_output_tokens: at most 9007199254740991', { ...hi, max_output_tokens: 9007199254740991, max_tool_calls: 9007199254740991 }],
  ['metadata: up to 16 pairs', { ...hi, metadata: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, 'v'])) }],
  ['metadata: keys at most 64 characters, values at most 512', { ...hi, metadata: { [faces(64)]: faces(512), a: '' } }],
  ['temperature: 0 to 2 inclusive', { ...hi, temperature: 2, top_p: 1 }],
  ['top_logprobs: 0 to 20', { ...hi, top_logprobs: 20, include: ['message.output_text.logprobs'] }],
  ['compact_threshold: 1000 to …', { ...hi, context_management: [{ type: 'compaction', compact_threshold: 1000 }] }],
  ['conversation: string or object {id}', { ...hi, conversation: { id: 'conv_1' } }],
  ['conversation: a string', { ...hi, conversation: 'conv_1' }],
  [
    'prompt: variables maps names to a string or an input-content item',
    {
      ...hi,
      prompt: { id: 'p', version: '1', variables: { a: 'x', b: { type: 'input_image', image_url: png, file_id: null, detail: null } } },
    },
  ],
  [
    'prompt_cache_options: newer models use its ttl',
    { ...hi, prompt_cache_options: { ttl: '12h', mode: null, comparison_response_id: null } },
  ],
  ['prompt_cache_options: mode', { ...hi, prompt_cache_options: { mode: 'explicit', prewarm: true } }],
  ['cache_control', { ...hi, cache_control: { type: 'ephemeral', ttl: '1h' } }],
  ['cache_control: null counts as absent inside', { ...hi, cache_control: { type: 'ephemeral', ttl: null } }],
  ['prompt_cache_retention: one of in-memory, in_memory, 24h', { ...hi, prompt_cache_retention: 'in_memory' }],
  ['routing: interval such as 1h or 1 hour', { ...hi, routing: { provider: { interval: '1 hour', sort: 'p95_latency' }, model: null } }],
  ['text: a format that is null', { ...hi, text: { format: null, verbosity: null } }],
  ['text: null counts as absent inside', { ...hi, text: { verbosity: null, format: { type: 'text' } } }],
  [
    'text.format: description and strict may be null, and the schema is left alone',
    { ...hi, text: { format: { type: 'json_schema', name: 'n', schema: parameters, description: null, strict: null } } },
  ],
  ['tools: nulls count as absent', { ...hi, tools: [{ ...f, description: null, parameters: null, strict: null }] }],
  [
    'web_search: filters nullable, user_location nullable, all optional',
    {
      ...hi,
      tools: [
        {
          type: 'web_search',
          engine: { type: null },
          search_context_size: null,
          filters: { allowed_domains: null },
          user_location: { type: null, country: null, region: null, city: null, timezone: null },
        },
      ],
    },
  ],
  ['web_search: engine auto is the default', { ...hi, tools: [{ type: 'web_search', engine: {} }] }],
  [
    'web_search: older names',
    { ...hi, tools: [{ type: 'web_search_preview', search_context_size: 'low' }, { type: 'web_search_2025_08_26' }] },
  ],
  [
    'custom: format text or grammar',
    {
      ...hi,
      tools: [
        { type: 'custom', name: 'a', format: grammar },
        { type: 'custom', name: 'b', format: { type: 'text' } },
      ],
    },
  ],
  [
    'custom: null counts as absent',
    { ...hi, tools: [{ type: 'custom', name: 'a', description: null, format: { type: 'text', syntax: null } }] },
  ],
  [
    'namespace: its functions and custom tools, whose names are its own',
    { ...hi, tools: [f, { type: 'namespace', name: 'n', description: 'd', tools: [f, { type: 'custom', name: 'c', format: null }] }] },
  ],
  [
    'tools: those of one dialect are tolerated',
    { ...hi, tools: [{ type: 'mcp', server_label: 's', server_url: 'https://example.com/mcp' }] },
  ],
  ['tool_choice: strings too', { ...hi, tools: [f], tool_choice: 'required' }],
  [
    'tool_choice: allowed_tools, whose missing mode is auto',
    {
      ...hi,
      tools: [f, { type: 'web_search' }],
      tool_choice: { type: 'allowed_tools', mode: null, tools: [{ type: 'web_search', name: null }, f] },
    },
  ],
  ['service_tier: fast', { ...hi, service_tier: 'fast' }],
  ['service_tier: ultrafast', { ...hi, service_tier: 'ultrafast' }],
  [
    'empties',
    { ...hi, include: [], tools: [], text: {}, reasoning: {}, metadata: {}, routing: {}, context_management: [], stream_options: {} },
  ],
  ['unknown members are ignored', { ...hi, client_metadata: {}, moderation: null, reasoning: { mode: 'x', context: null } }],
  ['presence_penalty, frequency_penalty: -2 to 2', { ...hi, presence_penalty: -2, frequency_penalty: 2 }],
  ['type may be absent on a message', withItems({ role: 'developer', content: 'x' }, { role: 'assistant', content: '' })],
  ['{id} alone is an item_reference', withItems({ id: 'msg_1' }, { id: 'msg_2', type: null }, { id: 'msg_3', type: 'item_reference' })],
  [
    'phase is nullable',
    withItems({ role: 'assistant', phase: null, content: [{ type: 'refusal', refusal: 'no' }], id: null, status: null }),
  ],
  ['reasoning: replayed with nulls', withItems({ type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: null })],
  [
    'reasoning: parts',
    withItems({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }], content: [{ type: 'reasoning_text', text: 'b' }] }),
  ],
  ['function_call: call_id of 64 characters', withItems({ ...call, call_id: letters(64), namespace: null })],
  ['function_call_output: without a call_id', withItems({ type: 'function_call_output', output: 'x' })],
  [
    'function_call_output: without a call_id, from a namespace',
    withItems({ type: 'function_call_output', call_id: null, name: 'create_goal', namespace: 'goals', output: 'x' }),
  ],
  [
    'function_call_output: parts',
    withItems(call, { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_image', image_url: png, file_id: null }] }),
  ],
  [
    'web_search_call: replayed, with nulls in its action',
    withItems({ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'open_page', url: null } }),
  ],
  ['compaction', withItems({ type: 'compaction', encrypted_content: 'x', id: null })],
  [
    'input_text: with hints for caches',
    withPart({
      type: 'input_text',
      text: 'x',
      cache_control: { type: 'ephemeral', ttl: null },
      prompt_cache_breakpoint: { mode: 'explicit', ttl: null },
    }),
  ],
  ['input_image: one of image_url, file_id', withPart({ type: 'input_image', image_url: null, file_id: 'file_1' })],
  [
    'input_file: audio is a file like any other',
    withPart({ type: 'input_file', filename: 'a.mp3', file_data: 'data:audio/mpeg;base64,SUQz' }),
  ],
  [
    'input_file: exactly one source',
    withPart({ type: 'input_file', file_id: null, file_data: null, file_url: 'https://example.com/a.pdf', filename: null }),
  ],
]

export interface Refused {
  readonly rule: string
  readonly body: object
  readonly param: string
  readonly code?: string
  /** A schema alone cannot express the rule. */
  readonly beyondSchema?: true
}

const missing = 'missing_required_parameter'
const wrongType = 'invalid_type'

export const refused: readonly Refused[] = [
  {
    rule: 'include: at most 8 items',
    body: { ...hi, include: Array.from({ length: 9 }, () => 'reasoning.encrypted_content') },
    param: 'include',
  },
  { rule: 'max_output_tokens: at most 9007199254740991', body: { ...hi, max_output_tokens: 9007199254740992 }, param: 'max_output_tokens' },
  { rule: 'max_tool_calls: greater than 0', body: { ...hi, max_tool_calls: 0 }, param: 'max_tool_calls' },
  { rule: 'metadata: keys at most 64 characters', body: { ...hi, metadata: { [faces(65)]: 'v' } }, param: 'metadata' },
  { rule: 'metadata: values at most 512 characters', body: { ...hi, metadata: { k: letters(513) } }, param: 'metadata.k' },
  { rule: 'metadata: string to string', body: { ...hi, metadata: { k: null } }, param: 'metadata.k', code: wrongType },
  { rule: 'top_logprobs: 0 to 20', body: { ...hi, top_logprobs: 21 }, param: 'top_logprobs' },
  { rule: 'presence_penalty: -2 to 2', body: { ...hi, presence_penalty: -2.1 }, param: 'presence_penalty' },
  {
    rule: 'compact_threshold: from 1000',
    body: { ...hi, context_management: [{ type: 'compaction', compact_threshold: 999 }] },
    param: 'context_management[0].compact_threshold',
  },
  {
    rule: 'context_management: both are required',
    body: { ...hi, context_management: [{ type: 'compaction' }] },
    param: 'context_management[0].compact_threshold',
    code: missing,
  },
  { rule: 'prompt: all three are required', body: { ...hi, prompt: { id: 'p', version: '1' } }, param: 'prompt.variables', code: missing },
  {
    rule: 'prompt: a required null is missing',
    body: { ...hi, prompt: { id: 'p', version: null, variables: {} } },
    param: 'prompt.version',
    code: missing,
  },
  {
    rule: 'prompt: a variable',
    body: { ...hi, prompt: { id: 'p', version: '1', variables: { a: 5 } } },
    param: 'prompt.variables.a',
    code: wrongType,
  },
  {
    rule: 'prompt: a variable is an input-content item',
    body: { ...hi, prompt: { id: 'p', version: '1', variables: { a: { type: 'output_text', text: 'x' } } } },
    param: 'prompt.variables.a',
  },
  { rule: 'cache_control: ephemeral', body: { ...hi, cache_control: { type: 'eternal' } }, param: 'cache_control.type' },
  { rule: 'cache_control: 5m or 1h', body: { ...hi, cache_control: { type: 'ephemeral', ttl: '1y' } }, param: 'cache_control.ttl' },
  {
    rule: 'prompt_cache_options: implicit or explicit',
    body: { ...hi, prompt_cache_options: { mode: 'x' } },
    param: 'prompt_cache_options.mode',
  },
  { rule: 'service_tier', body: { ...hi, service_tier: 'warp' }, param: 'service_tier' },
  { rule: 'truncation: auto or disabled', body: { ...hi, truncation: 'middle' }, param: 'truncation' },
  { rule: 'reasoning.summary', body: { ...hi, reasoning: { summary: 'long' } }, param: 'reasoning.summary' },
  { rule: 'text.verbosity', body: { ...hi, text: { verbosity: 'huge' } }, param: 'text.verbosity' },
  { rule: 'text.format: a known type', body: { ...hi, text: { format: { type: 'xml' } } }, param: 'text.format' },
  {
    rule: 'text.format: name 1..64',
    body: { ...hi, text: { format: { type: 'json_schema', name: letters(65), schema: {} } } },
    param: 'text.format.name',
  },
  {
    rule: 'text.format: the schema',
    body: { ...hi, text: { format: { type: 'json_schema', name: 'n', schema: null } } },
    param: 'text.format.schema',
    code: missing,
  },
  { rule: 'tools: the word of a type', body: { ...hi, tools: [{ type: 'a hammer' }] }, param: 'tools[0]' },
  { rule: 'tools: name at most 128', body: { ...hi, tools: [{ ...f, name: letters(129) }] }, param: 'tools[0].name' },
  { rule: 'tools: name of letters, digits, _ and -', body: { ...hi, tools: [{ ...f, name: 'a b' }] }, param: 'tools[0].name' },
  {
    rule: 'tools: names are unique',
    body: { ...hi, tools: [f, { type: 'custom', name: 'f' }] },
    param: 'tools[1].name',
    beyondSchema: true,
  },
  {
    rule: 'tools: names are unique within a namespace',
    body: { ...hi, tools: [{ type: 'namespace', name: 'n', tools: [f, f] }] },
    param: 'tools[0].tools[1].name',
    beyondSchema: true,
  },
  {
    rule: 'namespace: functions and custom tools',
    body: { ...hi, tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] }] },
    param: 'tools[0].tools[0]',
  },
  {
    rule: 'custom: a grammar has syntax and definition',
    body: { ...hi, tools: [{ type: 'custom', name: 'a', format: { type: 'grammar', syntax: 'lark', definition: null } }] },
    param: 'tools[0].format.definition',
    code: missing,
  },
  {
    rule: 'custom: lark or regex',
    body: { ...hi, tools: [{ type: 'custom', name: 'a', format: { ...grammar, syntax: 'bnf' } }] },
    param: 'tools[0].format.syntax',
  },
  {
    rule: 'web_search: engine',
    body: { ...hi, tools: [{ type: 'web_search', engine: { type: 'steam' } }] },
    param: 'tools[0].engine.type',
  },
  {
    rule: 'web_search: context size',
    body: { ...hi, tools: [{ type: 'web_search', search_context_size: 'vast' }] },
    param: 'tools[0].search_context_size',
  },
  {
    rule: 'web_search: approximate',
    body: { ...hi, tools: [{ type: 'web_search', user_location: { type: 'exact' } }] },
    param: 'tools[0].user_location.type',
  },
  { rule: 'tool_choice: a known word', body: { ...hi, tools: [f], tool_choice: 'always' }, param: 'tool_choice' },
  {
    rule: 'conversation and previous_response_id',
    body: { ...hi, conversation: 'c', previous_response_id: 'resp_1' },
    param: 'conversation',
  },
  { rule: 'the type of an item is a word', body: withItems({ type: 'a telegram' }), param: 'input[0]' },
  { rule: 'an item of no type, role or id', body: withItems({}), param: 'input[0].type', code: missing },
  { rule: 'call_id 1..64', body: withItems({ ...call, call_id: letters(65) }), param: 'input[0].call_id' },
  {
    rule: 'call_id 1..64, in outputs too',
    body: withItems({ type: 'custom_tool_call_output', call_id: '', output: 'x' }),
    param: 'input[0].call_id',
  },
  { rule: 'function_call: name at most 128', body: withItems({ ...call, name: letters(129) }), param: 'input[0].name' },
  {
    rule: 'function_call_output: a string or parts',
    body: withItems({ type: 'function_call_output', call_id: 'a', output: 5 }),
    param: 'input[0].output',
    code: wrongType,
  },
  {
    rule: 'function_call_output: input parts only',
    body: withItems({ type: 'function_call_output', call_id: 'a', output: [{ type: 'output_text', text: 'x' }] }),
    param: 'input[0].output[0]',
  },
  { rule: 'input_text: text', body: withPart({ type: 'input_text', text: null }), param: 'input[0].content[0].text', code: missing },
  { rule: 'input_image: one of image_url, file_id', body: withPart({ type: 'input_image', detail: 'low' }), param: 'input[0].content[0]' },
  {
    rule: 'input_image: null counts as absent',
    body: withPart({ type: 'input_image', image_url: null, file_id: null }),
    param: 'input[0].content[0]',
  },
  {
    rule: 'input_image: detail',
    body: withPart({ type: 'input_image', image_url: png, detail: 'huge' }),
    param: 'input[0].content[0].detail',
  },
  { rule: 'input_file: a source', body: withPart({ type: 'input_file', filename: 'a.pdf' }), param: 'input[0].content[0]' },
  {
    rule: 'input_file: one source',
    body: withPart({ type: 'input_file', file_id: 'f', file_url: 'https://example.com/a' }),
    param: 'input[0].content[0]',
  },
  {
    rule: 'input_file: detail',
    body: withPart({ type: 'input_file', file_id: 'f', detail: 'original' }),
    param: 'input[0].content[0].detail',
  },
  {
    rule: 'prompt_cache_breakpoint: explicit',
    body: withPart({ type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'implicit' } }),
    param: 'input[0].content[0].prompt_cache_breakpoint.mode',
  },
]

/** At the limits of single texts, which are megabytes. */
export const large: readonly { readonly rule: string; readonly body: object; readonly param?: string }[] = [
  { rule: 'input: a string of 10,485,760 characters', body: { ...hi, input: letters(10_485_760) } },
  { rule: 'input: at most 10,485,760 characters', body: { ...hi, input: letters(10_485_761) }, param: 'input' },
  { rule: 'input_text: 10,485,760 characters', body: withPart({ type: 'input_text', text: letters(10_485_760) }) },
  {
    rule: 'input_text: at most 10,485,760 characters',
    body: withPart({ type: 'input_text', text: letters(10_485_761) }),
    param: 'input[0].content[0].text',
  },
  { rule: 'input_image: image_url of 20,971,520 characters', body: withPart({ type: 'input_image', image_url: letters(20_971_520) }) },
  {
    rule: 'input_image: image_url of at most 20,971,520 characters',
    body: withPart({ type: 'input_image', image_url: letters(20_971_521) }),
    param: 'input[0].content[0].image_url',
  },
  {
    rule: 'function_call_output: at most 10,485,760 characters',
    body: withItems(call, { type: 'function_call_output', call_id: 'call_1', output: letters(10_485_761) }),
    param: 'input[1].output',
  },
]
