import type { JsonObject } from '../foundation/json.ts'
import { efforts } from '../contracts/request.ts'
import { errorCodes } from '../foundation/errors.ts'
import { checkFinishedItem } from './item-shapes.ts'
import { fail, nullable, orNull, record, shape, type Check } from './shape.ts'

// The response object: docs/protocol/response.md#the-response-object, docs/protocol/response.md#usage and
// docs/protocol/errors.md#error-codes.

const string = { type: 'string' }
const number = { type: 'number' }
const boolean = { type: 'boolean' }
const whole = { type: 'integer', minimum: 0 }
const object = { type: 'object' }
const nullableWhole = { type: ['integer', 'null'], minimum: 0 }
const summaries = { enum: ['auto', 'concise', 'detailed', null] }

const usage = record({
  input_tokens: whole,
  input_tokens_details: record({ cached_tokens: whole, cache_write_tokens: whole, cached_tokens_created: nullableWhole }),
  output_tokens: whole,
  output_tokens_details: record({ reasoning_tokens: whole }),
  total_tokens: whole,
  tool_calls: { type: 'object', additionalProperties: whole },
  cost_usd: { type: ['number', 'null'], minimum: 0 },
})

const error = {
  ...record({ code: { enum: errorCodes }, message: { type: 'string', minLength: 1 } }, 'closed'),
  properties: { code: { enum: errorCodes }, message: { type: 'string', minLength: 1 }, upstream_error: string },
}

const functionTool = record({
  type: { const: 'function' },
  name: string,
  description: nullable('string'),
  parameters: nullable('object'),
  strict: nullable('boolean'),
})
const tool = { anyOf: [functionTool, record({ type: { type: 'string', not: { const: 'function' } } })] }

const toolChoice = {
  anyOf: [
    { enum: ['none', 'auto', 'required'] },
    {
      ...record({
        type: { const: 'allowed_tools' },
        mode: { enum: ['auto', 'required', 'none'] },
        tools: { type: 'array', items: object },
      }),
    },
    record({ type: { type: 'string', not: { const: 'allowed_tools' } } }),
  ],
}

const text = {
  type: 'object',
  required: ['format'],
  properties: {
    format: record({ type: { enum: ['text', 'json_object', 'json_schema'] } }),
    verbosity: { enum: ['low', 'medium', 'high'] },
  },
}

const response: Check = shape({
  ...record({
    id: { type: 'string', pattern: '^resp_.' },
    object: { const: 'response' },
    model: { type: 'string', pattern: '^[^/]+/.' },
    status: { enum: ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] },
    created_at: whole,
    completed_at: nullableWhole,
    output: { type: 'array', items: object },
    error: orNull(error),
    incomplete_details: orNull(record({ reason: { enum: ['max_output_tokens', 'content_filter'] } }, 'closed')),
    instructions: { type: ['string', 'array', 'null'] },
    previous_response_id: nullable('string'),
    reasoning: orNull(record({ effort: { enum: [...efforts, null] }, summary: summaries })),
    usage: orNull(usage),
    max_output_tokens: nullableWhole,
    max_tool_calls: nullableWhole,
    safety_identifier: nullable('string'),
    prompt_cache_key: nullable('string'),
    tools: { type: 'array', items: tool },
    tool_choice: toolChoice,
    truncation: { enum: ['auto', 'disabled'] },
    parallel_tool_calls: boolean,
    text,
    top_p: number,
    temperature: number,
    presence_penalty: number,
    frequency_penalty: number,
    top_logprobs: whole,
    store: boolean,
    background: boolean,
    service_tier: { enum: ['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'] },
    metadata: { type: 'object', additionalProperties: string },
    conversation: orNull(record({ id: string })),
    prompt: nullable('object'),
    prompt_cache_options: nullable('object'),
    prompt_cache_retention: nullable('string'),
    user: nullable('string'),
  }),
  // A convenience of one SDK, which adds it on the client.
  not: { type: 'object', required: ['output_text'] },
})

/** `in_progress` and `queued` responses are not complete: docs/protocol/response.md#endings. */
export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

/** A response object with a checked shape. */
export interface CheckedResponse extends JsonObject {
  /** Such as `resp_…`. */
  readonly id: string
  /** The model that answered: docs/protocol/response.md#the-response-object. */
  readonly model: string
  /** `failed` has an `error`. */
  readonly status: ResponseStatus
  /** Seconds since the epoch. */
  readonly created_at: number
  /** Items: docs/protocol/items.md. */
  readonly output: readonly JsonObject[]
  /** Null unless it failed. */
  readonly error: {
    /** One of docs/protocol/errors.md#error-codes. */
    readonly code: string
    /** Never empty. */
    readonly message: string
  } | null
}

/** Checks the response object of a finished stream or of a non-streaming request. Throws a `ContractError`. */
export function checkResponse(value: unknown): CheckedResponse {
  const checked = checkResponseMembers(value)
  if (checked.status === 'in_progress' || checked.status === 'queued') fail(`response.status is ${checked.status} in a finished response`)
  if (checked.status !== 'failed' && checked.status !== 'cancelled') checkOutput(checked)
  return checked
}

/** Everything except the items of `output`. */
export function checkResponseMembers(value: unknown): CheckedResponse {
  response(value, 'response')
  const checked = value as CheckedResponse
  const { status } = checked
  const present = (member: string): boolean => checked[member] !== null
  if (present('completed_at') !== (status === 'completed'))
    fail(`response.completed_at is ${checked.completed_at} while status is ${status}`)
  if (present('error') !== (status === 'failed')) fail(`response.error is ${JSON.stringify(checked.error)} while status is ${status}`)
  if (present('incomplete_details') !== (status === 'incomplete'))
    fail(`response.incomplete_details is ${JSON.stringify(checked.incomplete_details)} while status is ${status}`)
  if (status === 'in_progress' && present('usage')) fail('response.usage is set before the end')
  if ((status === 'completed' || status === 'incomplete') && !present('usage')) fail(`response.usage is null while status is ${status}`)
  if (present('usage')) checkUsage(checked.usage as Usage)
  return checked
}

/** A finished item may be incomplete only if it is the last item of an incomplete response. */
export function checkItemStatus(item: JsonObject, last: boolean, response: ResponseStatus): void {
  if (item.status === 'incomplete' && !(last && response === 'incomplete'))
    fail(`item ${item.id} is incomplete, which only the last item of an incomplete response can be`)
}

function checkOutput({ output, status }: CheckedResponse): void {
  const ids = new Set<unknown>()
  const calls = new Set<unknown>()
  for (const [index, item] of output.entries()) {
    checkFinishedItem(item, `response.output.${index}`)
    checkItemStatus(item, index === output.length - 1, status)
    if (ids.has(item.id)) fail(`response.output.${index} has the id ${item.id} of an earlier item`)
    if (isCall(item) && calls.has(item.call_id)) fail(`response.output.${index} has the call_id ${item.call_id} of an earlier item`)
    ids.add(item.id)
    if (isCall(item)) calls.add(item.call_id)
  }
}

/** Calls whose outputs the client sends. Items of the vendor's own tools may share a `call_id` with their output. */
export function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

interface Usage {
  readonly input_tokens: number
  readonly input_tokens_details: {
    readonly cached_tokens: number
    readonly cache_write_tokens: number
    readonly cached_tokens_created: number | null
  }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

function checkUsage(usage: Usage): void {
  const { cached_tokens, cache_write_tokens, cached_tokens_created } = usage.input_tokens_details
  if (cached_tokens + cache_write_tokens > usage.input_tokens) fail('response.usage counts more cached tokens than input tokens')
  if (cached_tokens_created !== cache_write_tokens)
    fail('response.usage.input_tokens_details.cached_tokens_created differs from cache_write_tokens')
  if (usage.output_tokens_details.reasoning_tokens > usage.output_tokens)
    fail('response.usage counts more reasoning tokens than output tokens')
  if (usage.total_tokens !== usage.input_tokens + usage.output_tokens)
    fail('response.usage.total_tokens is not the sum of input and output')
}
