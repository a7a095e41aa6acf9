import type { StreamEvent } from './event-stream.ts'

/** A piece of an answer, as the playground shows it. */
export interface ShownItem {
  readonly id: string
  /** Such as `message`, `reasoning`, `function_call` or `web_search_call`. */
  readonly type: string
  readonly status: string
  /** Of a message. */
  readonly text: string
  /** The thoughts of a model, or a summary of them. */
  readonly reasoning: string
  /** The arguments of a call. */
  readonly arguments: string
  /** As it came, when it is complete. */
  readonly item: Readonly<Record<string, unknown>>
}

export interface Answer {
  readonly id: string | undefined
  readonly model: string | undefined
  /** `in_progress`, `completed`, `incomplete` or `failed`. */
  readonly status: string
  readonly items: readonly ShownItem[]
  readonly usage: Readonly<Record<string, unknown>> | undefined
  readonly error: string | undefined
}

export const noAnswer: Answer = { id: undefined, model: undefined, status: 'in_progress', items: [], usage: undefined, error: undefined }

/** The answer after one more event. */
export function withEvent(answer: Answer, event: StreamEvent): Answer {
  const { type } = event
  if (type === 'error') return { ...answer, status: 'failed', error: String(event['message']) }
  const response = event['response'] as Response | undefined
  if (response) return withResponse(answer, response)
  const index = event['output_index']
  if (typeof index !== 'number') return answer
  if (type === 'response.output_item.added' || type === 'response.output_item.done')
    return replaced(answer, index, shownItem(event['item'] as Item))
  const grown = growth[type]
  const item = answer.items[index]
  if (!grown || !item) return answer
  return replaced(answer, index, { ...item, [grown]: item[grown] + String(event['delta']) })
}

/** The answer that a whole response is. */
export function answerOf(response: Response): Answer {
  return withResponse({ ...noAnswer, items: (response.output ?? []).map(shownItem) }, response)
}

interface Response {
  readonly id: string
  readonly model: string
  readonly status: string
  readonly output?: readonly Item[]
  readonly usage?: Readonly<Record<string, unknown>> | null
  readonly error?: { readonly message: string } | null
  readonly incomplete_details?: { readonly reason: string } | null
}

interface Item {
  readonly id?: string
  readonly type: string
  readonly status?: string
  readonly [member: string]: unknown
}

type Growing = 'text' | 'reasoning' | 'arguments'
const growth: Readonly<Record<string, Growing>> = {
  'response.output_text.delta': 'text',
  'response.refusal.delta': 'text',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.function_call_arguments.delta': 'arguments',
  'response.custom_tool_call_input.delta': 'arguments',
}

function withResponse(answer: Answer, { id, model, status, usage, error, incomplete_details: details }: Response): Answer {
  const reason = error?.message ?? (details ? `The answer is incomplete: ${details.reason}.` : undefined)
  return { ...answer, id, model, status, usage: usage ?? answer.usage, error: reason ?? answer.error }
}

function replaced(answer: Answer, index: number, item: ShownItem): Answer {
  const items = [...answer.items]
  items[index] = item
  return { ...answer, items }
}

function shownItem(item: Item): ShownItem {
  const { id = '', type, status = 'completed' } = item
  return {
    id,
    type,
    status,
    text: textOf(item['content'], ['output_text', 'refusal']),
    reasoning: textOf(item['summary'], ['summary_text']) || textOf(item['content'], ['reasoning_text']),
    arguments: String(item['arguments'] ?? item['input'] ?? ''),
    item,
  }
}

function textOf(parts: unknown, types: readonly string[]): string {
  if (!Array.isArray(parts)) return ''
  return (parts as readonly Record<string, unknown>[])
    .filter(part => types.includes(String(part['type'])))
    .map(part => String(part['text'] ?? part['refusal'] ?? ''))
    .join('\n\n')
}
