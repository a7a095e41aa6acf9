// Requests of real clients to `POST /v1/responses`, shortened: the habits of each, member by member.

const schema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: {}, additionalProperties: false }
const image = 'data:image/png;base64,iVBORw0KGgo='
const model = 'acme/m'

const codex = {
  model,
  stream: true,
  store: false,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199-a-thread-that-is-longer-than-sixty-four-characters-which-some-vendors-refuse',
  text: { verbosity: 'low', format: { type: 'json_schema', strict: true, name: 'codex_output_schema', schema } },
  client_metadata: { 'x-codex-turn-metadata': '{}' },
  input: [
    { type: 'message', id: 'msg_1', role: 'developer', content: [{ type: 'input_text', text: 'You are an agent.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: image, detail: 'original' }] },
    { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: null },
    { type: 'function_call', id: 'fc_1', status: 'completed', name: 'exec_command', arguments: '{}', call_id: 'call_1' },
    { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'ok' },
    { type: 'custom_tool_call', status: 'completed', call_id: 'call_2', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_2', output: 'Done' },
  ],
  tools: [
    { type: 'function', name: 'exec_command', strict: false, parameters: schema, description: 'Runs a command.' },
    { type: 'namespace', name: 'multi_agent_v1', description: 'Agents', tools: [{ type: 'function', name: 'spawn', strict: false }] },
    { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters: schema },
    { type: 'custom', name: 'apply_patch', description: 'Edits', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
    { type: 'web_search', external_web_access: true, search_content_types: ['text', 'image'] },
  ],
}

const agents = { model, instructions: 'Be brief.', include: [], tools: [], input: [{ role: 'user', content: 'hi' }], stream: false }

const agentsSecondTurn = {
  ...agents,
  input: [
    { role: 'user', content: 'hi' },
    { type: 'function_call', id: 'fc_1', status: 'completed', call_id: 'call_1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', status: 'completed', output: 'done' },
  ],
}

const langchain = {
  model,
  input: [{ role: 'user', content: 'hi' }],
  text: {},
  tools: [{ type: 'function', name: 'f', parameters: schema, strict: null }],
  stream: false,
}

const aiSdk = {
  model,
  input: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    { role: 'user', content: [{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }] },
  ],
  text: { format: { type: 'json_schema', strict: true, name: 'response', schema } },
  tools: [{ type: 'function', name: 'f', description: 'x', parameters: schema, strict: false }],
  tool_choice: 'auto',
}

const openResponses = {
  model,
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: '{}' },
  ],
  tool_choice: 'auto',
}

export const clientRequests = { codex, agents, agentsSecondTurn, langchain, aiSdk, openResponses, text: { model, input: 'hi' } }
