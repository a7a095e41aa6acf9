import type { JsonObject } from '../../../../core/index.ts'
import { efforts, errorCodes, serviceTiers } from '../../../../core/kit.ts'
import { anyObject, boolean, constant, count, list, number, object, oneOf, orNull, ref, string } from './terms.ts'

// The response object: docs/protocol/response.md#the-response-object, docs/protocol/response.md#usage and docs/protocol/errors.md#error-codes. Every member is always present.

const summaries = oneOf('auto', 'concise', 'detailed', null)

/** Functions are echoed with all their members. */
const echoedTool = {
  anyOf: [
    object({
      type: constant('function'),
      name: string,
      description: orNull(string),
      parameters: orNull(anyObject),
      strict: orNull(boolean),
    }),
    object({ type: { type: 'string', not: { const: 'function' } } }),
  ],
}

const usage = object({
  input_tokens: count,
  input_tokens_details: object({ cached_tokens: count, cache_write_tokens: count, cached_tokens_created: orNull(count) }),
  output_tokens: count,
  output_tokens_details: object({ reasoning_tokens: count }),
  total_tokens: count,
  tool_calls: { type: 'object', additionalProperties: count },
  cost_usd: { ...orNull(number), description: 'US dollars that the request is charged. Null if unknown.' },
})

const error = {
  ...object({ code: { type: 'string', enum: errorCodes }, message: string }, { upstream_error: string }),
  additionalProperties: false,
}

const response = object({
  id: string,
  object: constant('response'),
  created_at: count,
  completed_at: orNull(count),
  status: oneOf('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'),
  model: { type: 'string', description: 'The model that answered, as provider/model.' },
  output: list(ref('OutputItem')),
  error: orNull(ref('ResponseError')),
  incomplete_details: orNull(object({ reason: oneOf('max_output_tokens', 'content_filter') })),
  usage: orNull(ref('Usage')),
  background: boolean,
  conversation: { ...orNull(object({ id: string })), description: 'The conversation that the response belongs to, if it is kept.' },
  frequency_penalty: number,
  instructions: orNull(string),
  max_output_tokens: orNull(count),
  max_tool_calls: orNull(count),
  metadata: { type: 'object', additionalProperties: string },
  parallel_tool_calls: boolean,
  presence_penalty: number,
  previous_response_id: orNull(string),
  prompt: orNull(object({ id: string, version: string, variables: anyObject })),
  prompt_cache_key: orNull(string),
  prompt_cache_options: orNull(object({ mode: oneOf('implicit', 'explicit'), ttl: string })),
  prompt_cache_retention: orNull(oneOf('in-memory', 'in_memory', '24h')),
  reasoning: orNull(object({ effort: oneOf(...efforts, null), summary: summaries })),
  safety_identifier: orNull(string),
  service_tier: oneOf(...serviceTiers),
  store: { type: 'boolean', description: 'True if the response is stored, which also requires request logging on the key.' },
  temperature: number,
  text: object({
    format: object({ type: oneOf('text', 'json_object', 'json_schema') }),
    verbosity: oneOf('low', 'medium', 'high'),
  }),
  tool_choice: ref('ToolChoice'),
  tools: list(echoedTool),
  top_logprobs: count,
  top_p: number,
  truncation: oneOf('auto', 'disabled'),
  user: orNull(string),
})

export const responseSchemas: Readonly<Record<string, JsonObject>> = { Usage: usage, ResponseError: error, Response: response }
