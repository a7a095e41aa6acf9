import { sseFrame } from '../../../core/testing/index.ts'
import { fewTokens, pieces, type Answer } from './answer.ts'
import { imageOf, type Schema, type Turn } from './question.ts'
import type { Stream, Wire } from './wire.ts'

interface Body {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly Message[]
  readonly tools?: readonly { readonly name: string; readonly input_schema?: Schema }[]
  readonly thinking?: { readonly type: string }
  readonly output_config?: { readonly format?: { readonly schema: object } }
}

interface Message {
  readonly role: string
  readonly content: string | readonly Block[]
}

interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly input?: object
  readonly tool_use_id?: string
  readonly signature?: string
  readonly text?: string
  readonly source?: { readonly media_type: string; readonly data: string }
  readonly content?: string | readonly Block[]
}

type Event = { readonly type: string } & Readonly<Record<string, unknown>>

/** Anthropic's Messages. */
export const messages: Wire = {
  question({ body }) {
    const { model, stream = false, messages: turns, tools = [], output_config: config, thinking } = body as Body
    const asked = turns.filter(({ role }) => role === 'user').flatMap(({ content }) => blocksOf(content))
    // Those of tools, too.
    const blocks = asked.flatMap(block => [block, ...(block.type === 'tool_result' ? blocksOf(block.content ?? []) : [])])
    return {
      model,
      streamed: stream,
      turns: turns.flatMap(turnsOf),
      tools: tools.map(({ name, input_schema: schema = {} }) => ({ name, schema })),
      images: blocks.flatMap(({ source }) => (source ? [imageOf(source.media_type, source.data)] : [])),
      schema: config?.format?.schema,
      thinks: thinking !== undefined && thinking.type !== 'disabled',
    }
  },
  whole: (answer, model) => ({ ...message(answer, model), content: contentOf(answer) }),
  stream(answer, model) {
    const frames = eventsOf(answer, model).map(event => sseFrame(event, event.type))
    return { opening: frames.slice(0, 3), rest: frames.slice(3) } satisfies Stream
  },
  failure: (status, text) => ({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message: text }, request_id: 'req_demo' }),
}

const errorTypes: Readonly<Record<number, string>> = { 400: 'invalid_request_error', 429: 'rate_limit_error', 529: 'overloaded_error' }

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ text = '' }) => text).join('\n')
}

function turnsOf({ role, content }: Message): readonly Turn[] {
  return blocksOf(content).flatMap((block): readonly Turn[] => {
    if (block.type === 'thinking') return [{ type: 'thought', state: block.signature ?? '' }]
    if (block.type === 'tool_use') return [{ type: 'called', id: block.id!, name: block.name!, input: JSON.stringify(block.input) }]
    if (block.type === 'tool_result') return [{ type: 'returned', id: block.tool_use_id!, text: textOf(blocksOf(block.content ?? '')) }]
    if (block.text === undefined) return []
    return [{ type: 'said', by: role === 'assistant' ? 'model' : 'user', text: block.text }]
  })
}

function message(answer: Answer, model: string, output = (answer.usage ?? fewTokens).output): object {
  const { input } = answer.usage ?? fewTokens
  const usage = { input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: output }
  return { id: 'msg_demo', type: 'message', role: 'assistant', model, content: [], stop_reason: stopOf(answer), stop_sequence: null, usage }
}

function stopOf({ calls }: Answer): string {
  return calls ? 'tool_use' : 'end_turn'
}

function contentOf({ text, calls, thought }: Answer): readonly object[] {
  const before = thought ? [{ type: 'thinking', thinking: thought.text, signature: thought.state }] : []
  const said = calls
    ? calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input: JSON.parse(input) as object }))
    : [{ type: 'text', text }]
  return [...before, ...said]
}

function eventsOf(answer: Answer, model: string): readonly Event[] {
  const { thought } = answer
  const thinking = thought && {
    block: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces(thought.text).map(text => ({ type: 'thinking_delta', thinking: text })),
      { type: 'signature_delta', signature: thought.state },
    ],
  }
  const said = answer.calls
    ? answer.calls.map(({ id, name, arguments: input }) => ({
        block: { type: 'tool_use', id, name, input: {} },
        deltas: pieces(input).map(json => ({ type: 'input_json_delta', partial_json: json })),
      }))
    : [{ block: { type: 'text', text: '' }, deltas: pieces(answer.text!).map(text => ({ type: 'text_delta', text })) }]
  return [
    { type: 'message_start', message: { ...message(answer, model, 0), stop_reason: null } },
    ...[...(thinking ? [thinking] : []), ...said].flatMap(({ block, deltas }, index) => [
      { type: 'content_block_start', index, content_block: block },
      ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stopOf(answer), stop_sequence: null },
      usage: { output_tokens: (answer.usage ?? fewTokens).output },
    },
    { type: 'message_stop' },
  ]
}
