import { sseFrame } from '../../../core/testing/index.ts'
import { openaiReply } from '../../../test/kit/embedding-vendors.ts'
import { fewTokens, pieces, type Answer } from './answer.ts'
import { imageOfUrl, type Schema, type Turn } from './question.ts'
import type { Wire } from './wire.ts'

interface Body {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly Message[]
  readonly tools?: readonly {
    readonly function?: { readonly name: string; readonly parameters?: Schema }
    readonly custom?: { readonly name: string }
  }[]
  readonly response_format?: { readonly json_schema?: { readonly schema: object } }
}

interface Message {
  readonly role: string
  readonly content?: string | readonly Part[] | null
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

interface ToolCall {
  readonly id: string
  readonly type: string
  readonly function?: { readonly name: string; readonly arguments: string }
  readonly custom?: { readonly name: string; readonly input: string }
}

interface Part {
  readonly text?: string
  readonly image_url?: { readonly url: string }
}

/** OpenAI's Chat Completions. */
export const chat: Wire = {
  question({ body }) {
    const { model, stream = false, messages, tools = [], response_format: format } = body as Body
    const parts = (role: string): readonly Part[] =>
      messages.filter(message => message.role === role).flatMap(({ content }) => partsOf(content))
    return {
      model,
      streamed: stream,
      turns: messages.flatMap(turnsOf),
      tools: tools.map(({ function: tool, custom }) =>
        tool ? { name: tool.name, schema: tool.parameters ?? {} } : { name: custom!.name, custom: true, schema: {} },
      ),
      images: [...parts('user'), ...parts('tool')].flatMap(({ image_url: image }) => (image ? (imageOfUrl(image.url) ?? []) : [])),
      schema: format?.json_schema?.schema,
    }
  },
  whole(answer, model) {
    const message = { role: 'assistant', content: answer.text ?? null, ...(answer.calls && { tool_calls: callsOf(answer) }), refusal: null }
    const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(answer) }
    return { id: 'chatcmpl-demo', object: 'chat.completion', created: 1, model, choices: [choice], usage: usageOf(answer) }
  },
  stream(answer, model) {
    const common = { id: 'chatcmpl-demo', object: 'chat.completion.chunk', created: 1, model }
    const chunk = (delta: object, finish: string | null = null): string =>
      sseFrame({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })
    const role = { role: 'assistant', content: null }
    const [first, ...said] = answer.calls
      ? callsOf(answer).flatMap((call, index) => [
          chunk({ ...role, tool_calls: [{ index, ...withoutInput(call) }] }),
          ...pieces((call.function?.arguments ?? call.custom?.input)!).map(text =>
            chunk({ tool_calls: [{ index, ...(call.function ? { function: { arguments: text } } : { custom: { input: text } }) }] }),
          ),
        ])
      : pieces(answer.text!).map((content, index) => chunk({ ...(index === 0 && role), content }))
    return {
      opening: [first!],
      rest: [...said, chunk({}, finishOf(answer)), sseFrame({ ...common, choices: [], usage: usageOf(answer) }), 'data: [DONE]\n\n'],
    }
  },
  failure: (status, message) => ({
    error: { message, type: status === 429 ? 'rate_limit_error' : 'server_error', param: null, code: null },
  }),
  other: request => (request.url.endsWith('/embeddings') ? openaiReply(request) : undefined),
}

function turnsOf({ role, content, tool_calls: calls = [], tool_call_id: id = '' }: Message): readonly Turn[] {
  const text = textOf(partsOf(content))
  if (role === 'tool') return [{ type: 'returned', id, text }]
  if (role === 'user') return [{ type: 'said', by: 'user', text }]
  if (role !== 'assistant') return []
  const called = calls.map(({ id, function: call, custom }): Turn => ({
    type: 'called',
    id,
    name: (call ?? custom)!.name,
    input: (call?.arguments ?? custom?.input)!,
  }))
  return [...(text === '' ? [] : [{ type: 'said' as const, by: 'model' as const, text }]), ...called]
}

function usageOf({ usage = fewTokens }: Answer): object {
  return { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output }
}

function partsOf(content: Message['content']): readonly Part[] {
  return typeof content === 'string' ? [{ text: content }] : (content ?? [])
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text = '' }) => text).join('\n')
}

function callsOf({ calls = [] }: Answer): readonly ToolCall[] {
  return calls.map(({ id, name, arguments: input, custom }) =>
    custom ? { id, type: 'custom', custom: { name, input } } : { id, type: 'function', function: { name, arguments: input } },
  )
}

function withoutInput(call: ToolCall): ToolCall {
  return call.function ? { ...call, function: { ...call.function, arguments: '' } } : { ...call, custom: { ...call.custom!, input: '' } }
}

function finishOf({ calls }: Answer): string {
  return calls ? 'tool_calls' : 'stop'
}
