import { encodeEvent } from '../../../test/plugins/providers/oracle/bedrock-framing.ts'
import { fewTokens, pieces, type Answer } from './answer.ts'
import { imageOf, type Schema, type Turn } from './question.ts'
import type { Wire } from './wire.ts'

interface Body {
  readonly messages: readonly Message[]
  readonly toolConfig?: { readonly tools: readonly { readonly toolSpec?: Tool }[] }
  readonly additionalModelRequestFields?: { readonly thinking?: { readonly type: string } }
  readonly outputConfig?: { readonly textFormat: { readonly structure: { readonly jsonSchema: { readonly schema: string } } } }
}

interface Tool {
  readonly name: string
  readonly inputSchema: { readonly json: Schema }
}

interface Message {
  readonly role: string
  readonly content: readonly Block[]
}

interface Block {
  readonly text?: string
  readonly image?: { readonly format: string; readonly source: { readonly bytes: string } }
  readonly reasoningContent?: { readonly reasoningText?: { readonly signature?: string } }
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: object }
  readonly toolResult?: { readonly toolUseId: string; readonly content: readonly Block[] }
}

/** Bedrock's Converse. */
export const converse: Wire = {
  contentType: 'application/vnd.amazon.eventstream',
  question({ url, body }) {
    const [, model = '', method] = /\/model\/(.+)\/(converse\S*)/.exec(decodeURIComponent(url)) ?? []
    const { messages, toolConfig, outputConfig, additionalModelRequestFields: more } = body as Body
    const blocks = messages.filter(({ role }) => role === 'user').flatMap(({ content }) => content)
    return {
      model,
      streamed: method === 'converse-stream',
      turns: messages.flatMap(turnsOf),
      tools: (toolConfig?.tools ?? []).flatMap(({ toolSpec: tool }) => (tool ? [{ name: tool.name, schema: tool.inputSchema.json }] : [])),
      images: [...blocks, ...blocks.flatMap(({ toolResult }) => toolResult?.content ?? [])].flatMap(({ image }) =>
        image ? [imageOf(`image/${image.format}`, image.source.bytes)] : [],
      ),
      thinks: more?.thinking !== undefined && more.thinking.type !== 'disabled',
      schema: outputConfig && (JSON.parse(outputConfig.textFormat.structure.jsonSchema.schema) as object),
    }
  },
  whole: answer => ({ output: { message: { role: 'assistant', content: contentOf(answer) } }, ...endOf(answer), ...meteredOf(answer) }),
  stream(answer) {
    const events = [
      encodeEvent('messageStart', { role: 'assistant' }),
      ...blocksOf(answer).flatMap(({ start, deltas }, contentBlockIndex) => [
        ...(start ? [encodeEvent('contentBlockStart', { contentBlockIndex, start })] : []),
        ...deltas.map(delta => encodeEvent('contentBlockDelta', { contentBlockIndex, delta })),
        encodeEvent('contentBlockStop', { contentBlockIndex }),
      ]),
      encodeEvent('messageStop', endOf(answer)),
      encodeEvent('metadata', meteredOf(answer)),
    ]
    return { opening: events.slice(0, 2), rest: events.slice(2) }
  },
  failure: (_, message) => ({ message }),
}

function turnsOf({ role, content }: Message): readonly Turn[] {
  return content.flatMap(({ text, toolUse: call, toolResult: output, reasoningContent: thought }): readonly Turn[] => {
    if (thought) return [{ type: 'thought', state: thought.reasoningText?.signature ?? '' }]
    if (call) return [{ type: 'called', id: call.toolUseId, name: call.name, input: JSON.stringify(call.input) }]
    if (output) return [{ type: 'returned', id: output.toolUseId, text: output.content.map(({ text = '' }) => text).join('\n') }]
    return text === undefined ? [] : [{ type: 'said', by: role === 'assistant' ? 'model' : 'user', text }]
  })
}

function contentOf({ text, calls, thought }: Answer): readonly object[] {
  const before = thought ? [{ reasoningContent: { reasoningText: { text: thought.text, signature: thought.state } } }] : []
  if (!calls) return [...before, { text }]
  return [
    ...before,
    ...calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input: JSON.parse(input) as object } })),
  ]
}

interface StreamedBlock {
  readonly start?: object
  readonly deltas: readonly object[]
}

function blocksOf({ text = '', calls, thought }: Answer): readonly StreamedBlock[] {
  const thinking: StreamedBlock[] = thought
    ? [
        {
          deltas: [
            ...pieces(thought.text).map(text => ({ reasoningContent: { text } })),
            { reasoningContent: { signature: thought.state } },
          ],
        },
      ]
    : []
  if (!calls) return [...thinking, { deltas: pieces(text).map(text => ({ text })) }]
  const said = calls.map(({ id, name, arguments: input }) => ({
    start: { toolUse: { toolUseId: id, name } },
    deltas: pieces(input).map(text => ({ toolUse: { input: text } })),
  }))
  return [...thinking, ...said]
}

function endOf({ calls }: Answer): object {
  return { stopReason: calls ? 'tool_use' : 'end_turn' }
}

function meteredOf({ usage: { input, output } = fewTokens }: Answer): object {
  return { usage: { inputTokens: input, outputTokens: output, totalTokens: input + output }, metrics: { latencyMs: 1 } }
}
