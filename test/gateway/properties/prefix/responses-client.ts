import type { JsonObject } from '../../../../core/index.ts'
import type { Call, Part, ToolSpec, Turn } from './conversations.ts'
import { schema, type Surface } from './surface.ts'

export const responsesClient: Surface = {
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
