import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { fakeUpstream, sseFrame, type FakeReply, type ReceivedRequest } from '../../../core/testing/index.ts'
import anthropic from '../../../plugins/providers/anthropic/index.ts'
import { hosts, type HostName } from '../../../plugins/providers/openai-chat/hosts.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../plugins/providers/openai-responses/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask } from '../../kit/stage.ts'

// Every vendor must answer a request of Codex (contract/clients.md) without a 400. Calls must return in the form that Codex knows.

const object = { type: 'object', properties: {}, additionalProperties: false }
const functions = ['exec_command', 'write_stdin', 'request_user_input', 'view_image', 'get_goal', 'create_goal', 'update_goal']
const grammar = 'start: begin_patch hunk+ end_patch\nbegin_patch: "*** Begin Patch" LF\nend_patch: "*** End Patch" LF?\n'
const tools = [
  ...functions.map(name => ({ type: 'function', name, description: 'Does it.', strict: false, parameters: object })),
  {
    type: 'namespace',
    name: 'multi_agent_v1',
    description: 'Tools for other agents.',
    tools: ['spawn_agent', 'wait'].map(name => ({ type: 'function', name, description: 'Does it.', strict: false, parameters: object })),
  },
  { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: object },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Edits files. This is a FREEFORM tool.',
    format: { type: 'grammar', syntax: 'lark', definition: grammar },
  },
  { type: 'web_search', external_web_access: false, search_content_types: ['text', 'image'] },
]

const body = {
  stream: true,
  tools,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { summary: 'auto' },
  text: { verbosity: 'low' },
  prompt_cache_key: '0d6f3c5e-demo',
  client_metadata: { session_id: 'demo' },
  input: [
    { type: 'message', id: 'msg_demo1', role: 'developer', content: [{ type: 'input_text', text: 'You are an agent.' }] },
    { type: 'message', id: 'msg_demo2', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] },
    { type: 'reasoning', id: 'rs_demo', summary: [], content: null, encrypted_content: null },
    {
      type: 'custom_tool_call',
      id: 'ctc_demo',
      status: 'completed',
      call_id: 'call_demo1',
      name: 'apply_patch',
      input: '*** Begin Patch\n',
    },
    { type: 'custom_tool_call_output', id: 'ctco_demo', call_id: 'call_demo1', output: 'Done!' },
    {
      type: 'function_call',
      id: 'fc_demo',
      status: 'completed',
      call_id: 'call_demo2',
      name: 'wait',
      namespace: 'multi_agent_v1',
      arguments: '{}',
    },
    { type: 'function_call_output', id: 'fco_demo', call_id: 'call_demo2', output: 'ok' },
  ],
}

const expected = [
  { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch\n' },
  { type: 'function_call', name: 'spawn_agent', namespace: 'multi_agent_v1', arguments: '{"n":1}' },
]

const patch = '{"input":"*** Begin Patch\\n"}'

/** The same two calls in the vendor's own words. */
function answerOf({ url, body }: ReceivedRequest): FakeReply {
  const headers = { 'content-type': 'text/event-stream' }
  if (url.endsWith('/messages')) {
    const use = (index: number, name: string, json: string) => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `toolu_${index}`, name, input: {} } },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } },
      { type: 'content_block_stop', index },
    ]
    const events = [
      { type: 'message_start', message: { type: 'message', model: 'm', content: [], stop_reason: null } },
      ...use(0, 'apply_patch', patch),
      ...use(1, 'multi_agent_v1__spawn_agent', '{"n":1}'),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    ]
    return { headers, body: events.map(event => sseFrame(event, event.type)).join('') }
  }
  if (url.endsWith('/responses')) {
    const output = [
      { type: 'custom_tool_call', id: 'ctc_1', status: 'completed', call_id: 'call_1', name: 'apply_patch', input: '*** Begin Patch\n' },
      {
        type: 'function_call',
        id: 'fc_1',
        status: 'completed',
        call_id: 'call_2',
        name: 'spawn_agent',
        namespace: 'multi_agent_v1',
        arguments: '{"n":1}',
      },
    ]
    const events = [
      ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
      { type: 'response.completed', response: { id: 'resp_1', status: 'completed', model: 'm', output } },
    ]
    return { headers, body: events.map(event => sseFrame(event, event.type)).join('') }
  }
  const knowsCustom = JSON.stringify(body).includes('"type":"custom"')
  const calls = [
    knowsCustom
      ? { index: 0, id: 'call_1', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin Patch\n' } }
      : { index: 0, id: 'call_1', type: 'function', function: { name: 'apply_patch', arguments: patch } },
    { index: 1, id: 'call_2', type: 'function', function: { name: 'multi_agent_v1__spawn_agent', arguments: '{"n":1}' } },
  ]
  if (!(body as { readonly stream?: boolean }).stream) {
    const message = { role: 'assistant', tool_calls: calls.map(({ index: _, ...call }) => call) }
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
    }
  }
  const chunks = [
    { choices: [{ index: 0, delta: { tool_calls: calls } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ]
  return { headers, body: [...chunks.map(chunk => sseFrame(chunk)), sseFrame('[DONE]')].join('') }
}

t.test("Codex's tools are understood by every provider", async t => {
  const upstream = await fakeUpstream(answerOf)
  t.teardown(() => upstream.close())
  const at = { baseUrl: `${upstream.url}/v1`, apiKey: 'sk-demo-1' }
  const chats = Object.keys(hosts) as HostName[]
  const under = await gateway({
    plugins: [
      anthropic({ ...at, id: 'claude' }),
      openaiResponses({ ...at, id: 'native' }),
      ...chats.map(host => openaiChat({ ...at, host, id: `chat-${host}` })),
    ],
  })
  t.teardown(under.stop)
  const models = ['claude/claude-opus-4-8', 'claude/claude-3-5-haiku-20241022', 'native/m', ...chats.map(host => `chat-${host}/m`)]
  for (const model of models) {
    const { status, response } = await ask(under, { model, ...body })
    t.equal(status, 200, model)
    t.match(response.output, expected)
    const sent = upstream.requests.at(-1)!.body as { readonly tools: readonly Record<string, unknown>[] }
    const kinds = new Set(sent.tools.map(({ type }) => type))
    if (model === 'native/m')
      t.match(sent.tools.slice(functions.length), tools.slice(functions.length), 'the dialect of its own has them all')
    else
      t.same(
        [...kinds],
        model.startsWith('claude') ? [undefined] : model === 'chat-openai/m' ? ['function', 'custom'] : ['function'],
        model,
      )
    if (model !== 'native/m') {
      t.equal(sent.tools.length, functions.length + 4)
      t.match(JSON.stringify(sent.tools), 'begin_patch hunk+', 'the grammar is there')
    }
    const validate = validators[new URL(upstream.requests.at(-1)!.url, at.baseUrl).pathname.split('/').at(-1)!]
    if (validate && /^(claude|chat-openai|native)/.test(model)) t.equal(validate(sent), '', `${model} gets what it documents`)
  }
  const { status, response } = await ask(under, { model: 'sandbox/tools', ...body, input: 'hi' })
  t.equal(status, 200)
  t.match(response.output.slice(-3), [
    { namespace: 'multi_agent_v1' },
    { type: 'tool_search_call', execution: 'client', arguments: {} },
    { type: 'custom_tool_call' },
  ])
})

const validators: Readonly<Record<string, (body: unknown) => string>> = publishedSchemas()

function publishedSchemas(): Record<string, (body: unknown) => string> {
  const folder = join(import.meta.dirname, '../../../../shared/wire-schemas')
  if (!existsSync(folder)) return {}
  const compile = (file: string, name: string): ((body: unknown) => string) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
    // OpenAPI's `nullable` is no JSON Schema; no body here relies on it.
    const schema = JSON.parse(readFileSync(join(folder, file), 'utf8'), (key, value: unknown) =>
      key === 'nullable' ? undefined : value,
    ) as object
    ajv.addSchema(schema, 'vendor')
    const validate = ajv.getSchema(`vendor#/$defs/${name}`)!
    return body => (validate(body) ? '' : ajv.errorsText(validate.errors))
  }
  return {
    completions: compile('openai.responses-and-chat.schema.json', 'CreateChatCompletionRequest'),
    messages: compile('anthropic.messages.schema.json', 'MessageCreateParamsStreaming'),
  }
}
