import type { JsonObject, PluginUse } from '../../../../core/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import type { Call, Conversation, Part, ToolSpec, Turn } from './conversations.ts'

/** How clients of a surface say a conversation. */
export interface Surface {
  readonly path: string
  /** None where every gateway under test has it. */
  readonly plugin?: PluginUse
  body(model: string, conversation: Conversation): JsonObject
  /** The member that holds the conversation. */
  readonly list: 'input' | 'messages'
  /** What a client sends after an answer: the answer as it came, and the results of its calls. */
  continued(answer: JsonObject): readonly JsonObject[]
}

const schema = { type: 'object', properties: { b: { type: 'string' }, a: { type: 'number' }, '2': {} }, additionalProperties: true }

const responses: Surface = {
  path: '/v1/responses',
  body: (model, { system, tools, turns }) => ({
    model,
    ...(system !== undefined && { instructions: system }),
    tools: [
      ...tools.filter(({ namespace }) => namespace === undefined).map(responsesTool),
      ...Array.from(
        Map.groupBy(
          tools.filter(({ namespace }) => namespace !== undefined),
          ({ namespace }) => namespace!,
        ),
        ([name, inside]) => ({ type: 'namespace', name, description: `All of ${name}`, tools: inside.map(responsesTool) }),
      ),
    ],
    store: false,
    input: turns.flatMap(responsesItems),
  }),
  list: 'input',
  continued(answer) {
    const output = answer['output'] as readonly JsonObject[]
    const calls = output.filter(({ type }) => type === 'function_call')
    return [...output, ...calls.map(call => ({ type: 'function_call_output', call_id: call['call_id'], output: '{"found": 1.0}' }))]
  },
}

function responsesTool({ name, isCustom }: ToolSpec): JsonObject {
  return isCustom ? { type: 'custom', name, description: 'Patches' } : { type: 'function', name, description: 'Looks', parameters: schema }
}

function responsesItems(turn: Turn, index: number): readonly JsonObject[] {
  if (turn.by === 'user') return [{ role: 'user', content: turn.parts.map(responsesPart) }]
  if (turn.by === 'system') return [{ role: 'developer', content: turn.text }]
  const { thought, search, text, calls } = turn
  return [
    ...(thought === undefined
      ? []
      : [{ type: 'reasoning', id: `rs_${index}`, summary: [], content: [{ type: 'reasoning_text', text: thought }] }]),
    ...(search === undefined
      ? []
      : [{ type: 'web_search_call', id: `ws_${index}`, status: 'completed', action: { type: 'search', query: search } }]),
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${index}`,
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map(responsesCall),
    ...calls.map(({ id, tool, output }) => ({
      type: tool.isCustom ? 'custom_tool_call_output' : 'function_call_output',
      call_id: id,
      output: typeof output === 'string' ? output : output.map(responsesPart),
    })),
  ]
}

function responsesCall({ id, tool: { name, namespace, isCustom }, input }: Call): JsonObject {
  const called = { call_id: id, name, ...(namespace && { namespace }) }
  if (isCustom) return { type: 'custom_tool_call', id: `ctc_${id}`, ...called, input: JSON.stringify(input) }
  return { type: 'function_call', id: `fc_${id}`, status: 'completed', ...called, arguments: JSON.stringify(input, undefined, 1) }
}

function responsesPart(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (part.type === 'image') return { type: 'input_image', image_url: `data:image/png;base64,${part.data}` }
  return { type: 'input_file', filename: part.name, file_data: `data:text/plain;base64,${Buffer.from(part.text).toString('base64')}` }
}

const messagesSurface: Surface = {
  path: '/v1/messages',
  plugin: messages({}),
  body: (model, { system, tools, turns }) => ({
    model,
    max_tokens: 4000,
    // Claude Code begins with a line that changes with every request. Only its vendor gets it.
    system: [
      ...(/anthropic|claude/.test(model) ? [] : [{ type: 'text', text: `x-anthropic-billing-header: cch=${turns.length};` }]),
      ...(system === undefined ? [] : [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }]),
    ],
    tools: tools.map(tool => ({ name: plainName(tool), description: 'Looks', input_schema: schema })),
    messages: turns.flatMap(messagesOf).map((message, index, { length }) => (index === length - 1 ? marked(message, model) : message)),
  }),
  list: 'messages',
  continued(answer) {
    const content = answer['content'] as readonly JsonObject[]
    const calls = content.filter(({ type }) => type === 'tool_use')
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '{"found": 1.0}' }))
    return [{ role: 'assistant', content }, ...(results.length > 0 ? [{ role: 'user', content: results }] : [])]
  },
}

/** Coding agents mark the end of what they send. Hosts of Chat Completions that know marks take a text with one in another form. */
function marked(message: JsonObject, model: string): JsonObject {
  const { content } = message
  if (!Array.isArray(content) || /openrouter|vercel/.test(model)) return message
  return { ...message, content: [...content.slice(0, -1), { ...(content.at(-1) as JsonObject), cache_control: { type: 'ephemeral' } }] }
}

function plainName({ name, namespace }: ToolSpec): string {
  return namespace === undefined ? name : `${namespace}__${name}`
}

function messagesOf(turn: Turn, index: number): readonly JsonObject[] {
  if (turn.by === 'user') return [{ role: 'user', content: turn.parts.map(messagesPart) }]
  if (turn.by === 'system') return [{ role: 'system', content: turn.text }]
  const { thought, search, text, calls } = turn
  const id = `srvtoolu_ws_${index}`
  const said = [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: 'tpu1.full' }]),
    ...(search === undefined
      ? []
      : [
          { type: 'server_tool_use', id, name: 'web_search', input: { query: search } },
          { type: 'web_search_tool_result', tool_use_id: id, content: [] },
        ]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(call => ({ type: 'tool_use', id: call.id.replaceAll(/[^\w-]/g, '_'), name: plainName(call.tool), input: call.input })),
  ]
  const results = calls.map(call => ({
    type: 'tool_result',
    tool_use_id: call.id.replaceAll(/[^\w-]/g, '_'),
    content: typeof call.output === 'string' ? call.output : call.output.map(messagesPart),
    ...(call.isError && { is_error: true }),
  }))
  return [{ role: 'assistant', content: said }, ...(results.length > 0 ? [{ role: 'user', content: results }] : [])]
}

function messagesPart(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'image') return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: part.data } }
  return { type: 'document', title: part.name, source: { type: 'text', media_type: 'text/plain', data: part.text } }
}

/** Every surface that takes conversations. */
export const surfaces: Readonly<Record<string, Surface>> = { responses, messages: messagesSurface }
