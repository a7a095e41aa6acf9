import type { JsonObject } from '../../../../core/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import type { Part, Turn } from './conversations.ts'
import { plainName, schema, type Surface } from './surface.ts'

export const messagesClient: Surface = {
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
