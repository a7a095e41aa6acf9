import { sseFrame } from '../../../core/testing/index.ts'
import { openaiReply } from '../../../test/kit/embedding-vendors.ts'
import { fewTokens, pieces, type Answer } from './answer.ts'
import { imageOfUrl, type Schema, type Turn } from './question.ts'
import type { Wire } from './wire.ts'

interface Body {
  readonly model: string
  readonly stream?: boolean
  readonly input: string | readonly Item[]
  readonly tools?: readonly { readonly type?: string; readonly name?: string; readonly parameters?: Schema }[]
  readonly include?: readonly string[] | null
  readonly text?: { readonly format?: { readonly schema?: object } }
}

interface Item {
  readonly type?: string
  readonly role?: string
  readonly content?: string | readonly Part[]
  readonly output?: string | readonly Part[]
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
  readonly input?: string
  readonly encrypted_content?: string
}

interface Part {
  readonly text?: string
  readonly image_url?: string
}

/** OpenAI's Responses. */
export const responses: Wire = {
  question({ url, body }) {
    const { model, stream = false, input, tools = [], text: settings, include } = body as Body
    const items: readonly Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    const parts = items.filter(({ role }) => role === 'user').flatMap(({ content }) => partsOf(content))
    return {
      model,
      streamed: stream,
      turns: items.flatMap(turnsOf),
      tools: tools.flatMap(({ type, name, parameters: schema = {} }) =>
        name !== undefined && (type === 'function' || type === 'custom')
          ? [{ name, schema, ...(type === 'custom' && { custom: true }) }]
          : [],
      ),
      images: [...parts, ...items.flatMap(({ output }) => partsOf(output))].flatMap(({ image_url: url }) =>
        url === undefined ? [] : (imageOfUrl(url) ?? []),
      ),
      schema: settings?.format?.schema,
      thinks: include?.includes('reasoning.encrypted_content') ?? false,
      compacts: url.endsWith('/compact') ? 'route' : items.at(-1)?.type === 'compaction_trigger' ? 'trigger' : undefined,
    }
  },
  whole: responseOf,
  stream(answer, model) {
    let number = 0
    const event = (type: string, members: object): string => sseFrame({ type, sequence_number: number++, ...members }, type)
    const response = responseOf(answer, model)
    const frames = [
      event('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } }),
      ...itemsOf(answer).flatMap((item, index) => eventsOf(item, index, event)),
      event('response.completed', { response }),
    ]
    // Created, the item, its part, the first delta.
    return { opening: frames.slice(0, 4), rest: frames.slice(4) }
  },
  failure: (status, message) => ({
    error: { message, type: status === 429 ? 'rate_limit_error' : 'server_error', param: null, code: null },
  }),
  other: request => (request.url.endsWith('/embeddings') ? openaiReply(request) : undefined),
}

function turnsOf(item: Item): readonly Turn[] {
  const { type, role, content, output, call_id: id = '', name = '', arguments: args, input = args, encrypted_content: encrypted } = item
  if (type === 'function_call' || type === 'custom_tool_call') return [{ type: 'called', id, name, input: input ?? '' }]
  if (type === 'reasoning') return [{ type: 'thought', state: encrypted ?? '' }]
  if (type === 'compaction_trigger') return [{ type: 'said', by: 'user', text: 'Write a summary of the conversation.' }]
  if (type === 'compaction') return [{ type: 'said', by: 'user', text: Buffer.from(encrypted ?? '', 'base64').toString() }]
  if (output !== undefined) return [{ type: 'returned', id, text: textOf(partsOf(output)) }]
  if (role !== 'user' && role !== 'assistant') return []
  return [{ type: 'said', by: role === 'user' ? 'user' : 'model', text: textOf(partsOf(content)) }]
}

function partsOf(content: Item['content']): readonly Part[] {
  return typeof content === 'string' ? [{ text: content }] : (content ?? [])
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text = '' }) => text).join('\n')
}

function responseOf(answer: Answer, model: string): object {
  const rest = { status: 'completed', error: null, incomplete_details: null, usage: usageOf(answer) }
  const object = answer.compacts === 'route' ? 'response.compaction' : 'response'
  return { id: 'resp_demo', object, created_at: 1, model, output: itemsOf(answer), ...rest }
}

function usageOf({ usage: { input, output } = fewTokens }: Answer): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}

type OutputItem =
  | { type: 'reasoning'; id: string; summary: readonly { readonly type: string; readonly text: string }[]; encrypted_content: string }
  | { type: 'message'; id: string; role: string; status: string; content: readonly { readonly text: string }[] }
  | { type: 'function_call'; id: string; call_id: string; name: string; status: string; arguments: string }
  | { type: 'compaction'; id: string; encrypted_content: string }
  | { type: 'custom_tool_call'; id: string; call_id: string; name: string; status: string; input: string }

function itemsOf({ thought, ...rest }: Answer): readonly OutputItem[] {
  if (!thought) return saidOf(rest)
  const { text, state } = thought
  return [{ type: 'reasoning', id: `rs_${state}`, summary: [{ type: 'summary_text', text }], encrypted_content: state }, ...saidOf(rest)]
}

function saidOf({ text = '', calls, compacts }: Answer): readonly OutputItem[] {
  const status = 'completed'
  if (compacts) return [{ type: 'compaction', id: 'cmp_demo', encrypted_content: Buffer.from(text).toString('base64') }]
  if (!calls) {
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
    return [{ type: 'message', id: 'msg_demo', role: 'assistant', status, content }]
  }
  return calls.map(({ id, name, arguments: input, custom }) =>
    custom
      ? { type: 'custom_tool_call', id: `ctc_${id}`, call_id: id, name, status, input }
      : { type: 'function_call', id: `fc_${id}`, call_id: id, name, status, arguments: input },
  )
}

function eventsOf(item: OutputItem, index: number, event: (type: string, members: object) => string): readonly string[] {
  const place = { item_id: item.id, output_index: index }
  const added = (rest: object): string =>
    event('response.output_item.added', { output_index: index, item: { ...item, ...rest, status: 'in_progress' } })
  const done = (): string => event('response.output_item.done', { output_index: index, item })
  if (item.type === 'compaction') return [event('response.output_item.added', { output_index: index, item }), done()]
  if (item.type === 'function_call')
    return [
      added({ arguments: '' }),
      ...pieces(item.arguments).map(delta => event('response.function_call_arguments.delta', { ...place, delta })),
      event('response.function_call_arguments.done', { ...place, arguments: item.arguments }),
      done(),
    ]
  if (item.type === 'custom_tool_call')
    return [
      added({ input: '' }),
      ...pieces(item.input).map(delta => event('response.custom_tool_call_input.delta', { ...place, delta })),
      event('response.custom_tool_call_input.done', { ...place, input: item.input }),
      done(),
    ]
  if (item.type === 'reasoning') {
    const [part] = item.summary
    const within = { ...place, summary_index: 0 }
    return [
      added({ summary: [] }),
      event('response.reasoning_summary_part.added', { ...within, part: { ...part, text: '' } }),
      ...pieces(part!.text).map(delta => event('response.reasoning_summary_text.delta', { ...within, delta })),
      event('response.reasoning_summary_text.done', { ...within, text: part!.text }),
      event('response.reasoning_summary_part.done', { ...within, part }),
      done(),
    ]
  }
  const [part] = item.content
  const within = { ...place, content_index: 0 }
  return [
    added({ content: [] }),
    event('response.content_part.added', { ...within, part: { ...part, text: '' } }),
    ...pieces(part!.text).map(delta => event('response.output_text.delta', { ...within, delta, logprobs: [] })),
    event('response.output_text.done', { ...within, text: part!.text, logprobs: [] }),
    event('response.content_part.done', { ...within, part }),
    done(),
  ]
}
