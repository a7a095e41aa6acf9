import { annotation, eventLogProbs, finishedPart, newPart, newSummaryPart, summaryText } from './item-shapes.ts'
import { nullable, record, shape, type Check } from './shape.ts'

// The members of every public event: docs/protocol/events.md#events.

const string = { type: 'string' }
const filled = { type: 'string', minLength: 1 }
const object = { type: 'object' }
const whole = { type: 'integer', minimum: 0 }
const item = { item_id: filled, output_index: whole }
const content = { ...item, content_index: whole }
const summary = { ...item, summary_index: whole }

const members = {
  'response.created': { response: object },
  'response.in_progress': { response: object },
  'response.completed': { response: object },
  'response.incomplete': { response: object },
  'response.failed': { response: object },
  'response.output_item.added': { output_index: whole, item: object },
  'response.output_item.done': { output_index: whole, item: object },
  'response.content_part.added': { ...content, part: newPart },
  'response.content_part.done': { ...content, part: finishedPart },
  'response.output_text.delta': { ...content, delta: string, logprobs: eventLogProbs },
  'response.output_text.done': { ...content, text: string, logprobs: eventLogProbs },
  'response.output_text.annotation.added': { ...content, annotation_index: whole, annotation },
  'response.refusal.delta': { ...content, delta: string },
  'response.refusal.done': { ...content, refusal: string },
  'response.reasoning_summary_part.added': { ...summary, part: newSummaryPart },
  'response.reasoning_summary_part.done': { ...summary, part: summaryText },
  'response.reasoning_summary_text.delta': { ...summary, delta: string },
  'response.reasoning_summary_text.done': { ...summary, text: string },
  'response.reasoning_text.delta': { ...content, delta: string },
  'response.reasoning_text.done': { ...content, text: string },
  'response.function_call_arguments.delta': { ...item, call_id: filled, delta: string },
  'response.function_call_arguments.done': { ...item, call_id: filled, name: filled, arguments: string },
  error: {
    code: filled,
    message: filled,
    param: nullable('string'),
    error: record({ type: filled, code: filled, message: filled, param: nullable('string') }, 'closed'),
  },
} as const satisfies Record<string, Readonly<Record<string, object>>>

export type EventName = keyof typeof members

/** The endpoint's option `events: 'documented'` omits these. */
export const undocumentedEvents: ReadonlySet<string> = new Set<EventName>([
  'response.refusal.delta',
  'response.refusal.done',
  'response.output_text.annotation.added',
])

const shapes = new Map<string, Check>(
  Object.entries(members).map(([name, fields]) => [
    name,
    shape(record({ type: { const: name }, sequence_number: whole, ...fields }, 'closed')),
  ]),
)

export function isEventName(name: unknown): name is EventName {
  return typeof name === 'string' && shapes.has(name)
}

export function checkEventMembers(name: EventName, event: object): void {
  shapes.get(name)!(event, 'event')
}
