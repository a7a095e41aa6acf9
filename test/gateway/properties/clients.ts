import { canary } from '../../kit/schema-values.ts'

// Requests as real clients send them, and one that uses nearly every member.

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
}
const weather = { type: 'function', name: 'get_weather', description: canary, parameters: schema, strict: false }

export const clientRequests: Readonly<Record<string, object>> = {
  plain: { input: `${canary} hello` },
  'a library of chains': {
    input: [
      { type: 'message', role: 'user', content: `${canary} hello` },
      { type: 'message', role: 'assistant', content: canary },
    ],
    text: {},
    stream: false,
    tools: [{ ...weather, strict: null }],
  },
  agents: {
    instructions: canary,
    input: [
      { role: 'user', content: canary },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather', arguments: `{"city":"${canary}"}`, status: 'completed' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: canary }], status: 'completed' },
    ],
    include: [],
    tools: [weather],
    tool_choice: 'auto',
  },
  'parts without a type of item': {
    input: [
      { role: 'system', content: canary },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: canary },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      { role: 'assistant', content: [{ type: 'output_text', text: canary }] },
    ],
    tools: [weather],
    tool_choice: { type: 'function', name: 'get_weather' },
    top_p: 0.5,
  },
  'a coding agent': {
    input: [
      { type: 'message', id: 'msg_a', role: 'developer', content: [{ type: 'input_text', text: canary }] },
      {
        type: 'message',
        id: 'msg_b',
        role: 'user',
        content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'original' }],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: canary }], content: null, encrypted_content: null },
      { type: 'custom_tool_call', call_id: 'call_c', name: 'apply_patch', input: canary, status: 'completed' },
      { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_c', output: canary },
      {
        type: 'message',
        id: 'msg_c',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: canary, annotations: [] }],
      },
    ],
    tools: [
      weather,
      {
        type: 'namespace',
        name: 'multi_agent',
        description: canary,
        tools: [{ type: 'function', name: 'spawn', strict: false, parameters: schema }],
      },
      { type: 'custom', name: 'apply_patch', description: canary, format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
      { type: 'web_search', external_web_access: true },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { summary: 'auto' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: canary,
    text: { verbosity: 'low' },
    client_metadata: { session: canary },
  },
  'nearly everything': {
    input: [{ role: 'user', content: canary, phase: 'commentary' }],
    instructions: canary,
    include: ['message.output_text.logprobs', 'web_search_call.action.sources'],
    max_output_tokens: 1_000,
    max_tool_calls: 3,
    metadata: { tag: canary },
    reasoning: { effort: 'low', summary: 'concise' },
    temperature: 1,
    top_p: 1,
    top_logprobs: 2,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tools: [weather, { type: 'custom', name: 'shell' }],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] },
    parallel_tool_calls: false,
    prompt_cache_retention: '24h',
    safety_identifier: canary,
    service_tier: 'auto',
    store: true,
    truncation: 'disabled',
    user: canary,
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    background: false,
  },
}
