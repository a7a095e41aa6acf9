import { foreignItemTypes } from '../contracts/items.ts'
import { nullable, oneOf, record, shape, type Check } from './shape.ts'

// Output items and their parts, as clients see them: docs/protocol/items.md#content-parts and docs/protocol/items.md#output-items.

const string = { type: 'string' }
const filled = { type: 'string', minLength: 1 }
const empty = { const: '' }
const whole = { type: 'integer', minimum: 0 }
const none = { type: 'array', maxItems: 0 }

const logProbMembers = { token: string, logprob: { type: 'number' } }
const bytes = { type: 'array', items: { type: 'integer', minimum: 0, maximum: 255 } }
const topLogProbs = { type: 'array', items: { ...record(logProbMembers), properties: { ...logProbMembers, bytes } } }
/** In events, `bytes` and `top_logprobs` may be missing. */
export const eventLogProbs = {
  type: 'array',
  items: { ...record(logProbMembers), properties: { ...logProbMembers, bytes, top_logprobs: topLogProbs } },
}
const logProbs = { type: 'array', items: record({ ...logProbMembers, bytes, top_logprobs: topLogProbs }) }

export const annotation = oneOf(
  record({ type: { const: 'url_citation' }, url: filled, title: string, start_index: whole, end_index: whole }),
  record({ type: { const: 'file_citation' }, file_id: filled, filename: string, index: whole }),
  record({
    type: { const: 'container_file_citation' },
    container_id: filled,
    file_id: filled,
    filename: string,
    start_index: whole,
    end_index: whole,
  }),
)
const annotations = { type: 'array', items: annotation }

const outputText = record({ type: { const: 'output_text' }, text: string, annotations, logprobs: logProbs })
const refusal = record({ type: { const: 'refusal' }, refusal: string }, 'closed')
const reasoningText = record({ type: { const: 'reasoning_text' }, text: string }, 'closed')
export const summaryText = record({ type: { const: 'summary_text' }, text: string }, 'closed')

export const newPart = oneOf(
  record({ type: { const: 'output_text' }, text: empty, annotations: none, logprobs: none }, 'closed'),
  record({ type: { const: 'refusal' }, refusal: empty }, 'closed'),
  record({ type: { const: 'reasoning_text' }, text: empty }, 'closed'),
)
export const newSummaryPart = record({ type: { const: 'summary_text' }, text: empty }, 'closed')
export const finishedPart = oneOf(outputText, refusal, reasoningText)

const action = oneOf(
  record({
    type: { const: 'search' },
    query: string,
    sources: { type: 'array', items: record({ type: { const: 'url' }, url: filled }) },
  }),
  { ...record({ type: { const: 'open_page' } }), properties: { type: { const: 'open_page' }, url: nullable('string') } },
  record({ type: { const: 'find_in_page' }, url: string, pattern: string }),
)

function item(type: string, prefix: string, required: object, optional: object = {}): object {
  const always = { type: { const: type }, id: { type: 'string', pattern: `^${prefix}_.` }, ...required }
  return { type: 'object', required: Object.keys(always), properties: { ...always, ...optional } }
}

function foreignItem(status: object): object {
  const always = { type: { enum: foreignItemTypes }, id: filled }
  return { type: 'object', required: Object.keys(always), properties: { ...always, status } }
}

const role = { const: 'assistant' }
const phase = { enum: ['commentary', 'final_answer'] }
const call = { call_id: filled, name: filled }
const inProgress = { const: 'in_progress' }
const ended = { enum: ['completed', 'incomplete'] }

/** An item of `response.output_item.added`. Only its identity is known yet. */
export const checkNewItem: Check = shape(
  oneOf(
    item('message', 'msg', { status: inProgress, role, content: none }, { phase }),
    item('function_call', 'fc', { status: inProgress, ...call, arguments: empty }, { namespace: filled }),
    item('custom_tool_call', 'ctc', { ...call, input: string }, { status: inProgress, namespace: filled }),
    item('reasoning', 'rs', { summary: none }, { status: inProgress, content: none, encrypted_content: string }),
    item('web_search_call', 'ws', { status: inProgress }, { action }),
    item('compaction', 'cmp', {}, { status: inProgress, encrypted_content: string }),
    foreignItem({ type: 'string' }),
  ),
)

/** An item of `response.output_item.done` and of a finished response. */
export const checkFinishedItem: Check = shape(
  oneOf(
    item('message', 'msg', { status: ended, role, content: { type: 'array', minItems: 1, items: oneOf(outputText, refusal) } }, { phase }),
    item('function_call', 'fc', { status: ended, ...call, arguments: string }, { namespace: filled }),
    item('custom_tool_call', 'ctc', { ...call, input: string }, { status: ended, namespace: filled }),
    item(
      'reasoning',
      'rs',
      { summary: { type: 'array', items: summaryText } },
      { status: ended, content: { type: 'array', minItems: 1, items: reasoningText }, encrypted_content: filled },
    ),
    item('web_search_call', 'ws', { status: { enum: ['completed', 'incomplete', 'failed'] }, action }),
    item('compaction', 'cmp', { encrypted_content: filled }, { status: ended }),
    foreignItem({ type: 'string' }),
  ),
)

/** An item that a failure interrupted, in any state between added and done. */
export const checkUnfinishedItem: Check = shape({
  type: 'object',
  required: ['type', 'id'],
  properties: { type: filled, id: filled, status: { enum: ['in_progress', 'incomplete'] } },
})
