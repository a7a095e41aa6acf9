import type { JsonObject } from '../../../../core/index.ts'
import { constant, count, list, object, orNull, pascal, ref, string, union } from './terms.ts'

// The data of every stream event: docs/protocol/events.md#events.

const item = { item_id: string, output_index: count }
const content = { ...item, content_index: count }
const summary = { ...item, summary_index: count }
const logprobs = list(ref('LogProb'))
const part = { anyOf: [ref('OutputText'), ref('Refusal'), ref('ReasoningText')] }
const errorMembers = { code: string, message: string, param: orNull(string) }

const members: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  'response.created': { response: ref('Response') },
  'response.in_progress': { response: ref('Response') },
  'response.completed': { response: ref('Response') },
  'response.incomplete': { response: ref('Response') },
  'response.failed': { response: ref('Response') },
  'response.output_item.added': { output_index: count, item: ref('OutputItem') },
  'response.output_item.done': { output_index: count, item: ref('OutputItem') },
  'response.content_part.added': { ...content, part },
  'response.content_part.done': { ...content, part },
  'response.output_text.delta': { ...content, delta: string, logprobs },
  'response.output_text.done': { ...content, text: string, logprobs },
  'response.output_text.annotation.added': { ...content, annotation_index: count, annotation: ref('Annotation') },
  'response.refusal.delta': { ...content, delta: string },
  'response.refusal.done': { ...content, refusal: string },
  'response.reasoning_summary_part.added': { ...summary, part: ref('SummaryText') },
  'response.reasoning_summary_part.done': { ...summary, part: ref('SummaryText') },
  'response.reasoning_summary_text.delta': { ...summary, delta: string },
  'response.reasoning_summary_text.done': { ...summary, text: string },
  'response.reasoning_text.delta': { ...content, delta: string },
  'response.reasoning_text.done': { ...content, text: string },
  'response.function_call_arguments.delta': { ...item, call_id: string, delta: string },
  'response.function_call_arguments.done': { ...item, call_id: string, name: string, arguments: string },
  error: { ...errorMembers, error: object({ type: string, ...errorMembers }) },
}

const events = Object.entries(members).map(([type, fields]): [string, JsonObject] => [
  `${pascal(type)}Event`,
  object({ type: constant(type), sequence_number: count, ...fields }),
])

export const eventSchemas: Readonly<Record<string, JsonObject>> = union('ResponseStreamEvent', Object.fromEntries(events))
