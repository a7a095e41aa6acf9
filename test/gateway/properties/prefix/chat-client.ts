import type { JsonObject } from '../../../../core/index.ts'
import chat from '../../../../plugins/endpoints/chat/index.ts'
import type { Call, Part, ToolSpec, Turn } from './conversations.ts'
import { plainName, schema, type Surface } from './surface.ts'

export const chatClient: Surface = {
  path: '/v1/chat/completions',
  plugin: chat({}),
  body: (model, { system, tools, turns }) => ({
    model,
    tools: tools.map(chatTool),
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...turns.flatMap(chatMessages)],
  }),
  list: 'messages',
  continued(answer) {
    const [{ message }] = answer['choices'] as readonly [{ readonly message: JsonObject }]
    const calls = (message['tool_calls'] ?? []) as readonly JsonObject[]
    return [message, ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '{"found": 1.0}' }))]
  },
}

function chatTool(tool: ToolSpec): JsonObject {
  const name = plainName(tool).slice(0, 64)
  if (tool.isCustom) return { type: 'custom', custom: { name, description: 'Patches' } }
  return { type: 'function', function: { name, description: 'Looks', parameters: schema } }
}

function chatMessages(turn: Turn): readonly JsonObject[] {
  if (turn.by === 'user') return [{ role: 'user', content: turn.parts.map(chatPart) }]
  if (turn.by === 'system') return [{ role: 'developer', content: turn.text }]
  const { thought, text, calls } = turn
  return [
    {
      role: 'assistant',
      content: text ?? null,
      ...(thought !== undefined && { reasoning_content: thought, reasoning: thought }),
      ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
    },
    ...calls.map(({ id, output }) => ({
      role: 'tool',
      tool_call_id: id,
      content: typeof output === 'string' ? output : output.map(chatPart),
    })),
  ]
}

function chatCall({ id, tool, input }: Call): JsonObject {
  const name = plainName(tool).slice(0, 64)
  if (tool.isCustom) return { id, type: 'custom', custom: { name, input: JSON.stringify(input) } }
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input, undefined, 1) } }
}

function chatPart(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'image') return { type: 'image_url', image_url: { url: `data:image/png;base64,${part.data}` } }
  return {
    type: 'file',
    file: { filename: part.name, file_data: `data:text/plain;base64,${Buffer.from(part.text).toString('base64')}` },
  }
}
