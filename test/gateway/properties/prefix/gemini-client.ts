import type { JsonObject } from '../../../../core/index.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import type { Call, Part, Turn } from './conversations.ts'
import { plainName, schema, type Surface } from './surface.ts'

export const geminiClient: Surface = {
  path: model => `/v1beta/models/${model}:generateContent`,
  plugin: geminiApi({}),
  body: (_, { system, tools, turns }) => ({
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    tools: [{ functionDeclarations: tools.map(tool => ({ name: plainName(tool), description: 'Looks', parametersJsonSchema: schema })) }],
    contents: turns.flatMap(contentsOf),
  }),
  list: 'contents',
  continued(answer) {
    const [candidate] = answer['candidates'] as readonly [{ readonly content: { readonly parts?: readonly JsonObject[] } }]
    const { content } = candidate
    const results = (content.parts ?? []).flatMap(({ functionCall: call }) => {
      const { id, name } = (call ?? {}) as { readonly id?: string; readonly name?: string }
      return name === undefined ? [] : [{ functionResponse: { id, name, response: { found: 1 } } }]
    })
    return [content, ...(results.length > 0 ? [{ role: 'user', parts: results }] : [])]
  },
}

function contentsOf(turn: Turn): readonly JsonObject[] {
  if (turn.by === 'user') return [{ role: 'user', parts: turn.parts.map(geminiPart) }]
  if (turn.by === 'system') return [{ role: 'system', parts: [{ text: turn.text }] }]
  const { thought, text, calls } = turn
  const said = [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(call => ({ functionCall: { ...idOf(call), name: plainName(call.tool), args: call.input } })),
  ]
  const results = calls.map(call => {
    const output = typeof call.output === 'string' ? call.output : call.output.map(part => (part.type === 'text' ? part.text : '')).join('')
    const media = typeof call.output === 'string' ? [] : call.output.filter(({ type }) => type !== 'text').map(geminiPart)
    return {
      functionResponse: {
        ...idOf(call),
        name: plainName(call.tool),
        response: { [call.isError ? 'error' : 'output']: output },
        ...(media.length > 0 && { parts: media }),
      },
    }
  })
  return [{ role: 'model', parts: said }, ...(results.length > 0 ? [{ role: 'user', parts: results }] : [])]
}

/** Calls of this API may lack ids. */
function idOf({ id, isError }: Call): object {
  return isError ? {} : { id }
}

function geminiPart(part: Part): JsonObject {
  if (part.type === 'text') return { text: part.text }
  if (part.type === 'image') return { inlineData: { mimeType: 'image/png', data: part.data } }
  return { inlineData: { mimeType: 'text/plain', data: Buffer.from(part.text).toString('base64'), displayName: part.name } }
}
