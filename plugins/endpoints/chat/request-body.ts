import { bodyValidator, requestSchema } from '../../../core/kit.ts'
import { cacheControl, message } from './message-schema.ts'
import { boolean, optionalString, string } from './schema-rules.ts'
import { functionDefinition, named, tool, toolChoice } from './tool-schema.ts'

// The body of `POST /v1/chat/completions`: docs/protocol/chat.md#request.

const shared = requestSchema.properties
const { effort } = shared.reasoning.properties

const responseFormat = {
  type: ['object', 'null'],
  required: ['type'],
  properties: { type: { enum: ['text', 'json_object', 'json_schema'] } },
  if: { properties: { type: { const: 'json_schema' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: {
    required: ['json_schema'],
    properties: {
      json_schema: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-zA-Z0-9_-]+$' },
          description: optionalString,
          schema: { type: ['object', 'null'] },
          strict: boolean,
        },
      },
    },
  },
} as const

const tokens = { type: ['integer', 'null'], minimum: 1, maximum: shared.max_output_tokens.maximum } as const
const penalty = { type: ['number', 'null'], minimum: -2, maximum: 2 } as const

/** The most choices of one request. */
export const maxChoices = 8

/** Errors name the first member that is wrong, in this order. */
export const requestBodySchema = {
  type: 'object',
  required: ['messages', 'model'],
  properties: {
    messages: { type: 'array', minItems: 1, maxItems: 10_000, items: message },
    model: shared.model,
    max_completion_tokens: tokens,
    max_tokens: tokens,
    stream: boolean,
    stream_options: { type: ['object', 'null'], properties: { include_usage: boolean } },
    n: { type: ['integer', 'null'], minimum: 1, maximum: maxChoices },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 2 },
    top_p: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    top_k: { type: ['integer', 'null'], minimum: 0, maximum: shared.top_k.maximum },
    stop: {
      anyOf: [shared.stop.items, { type: 'array', maxItems: shared.stop.maxItems, items: shared.stop.items }, { type: 'null' }],
    },
    seed: { type: ['integer', 'null'], minimum: shared.seed.minimum, maximum: shared.seed.maximum },
    presence_penalty: penalty,
    frequency_penalty: penalty,
    logit_bias: { ...shared.logit_bias, type: ['object', 'null'] },
    logprobs: boolean,
    top_logprobs: { type: ['integer', 'null'], minimum: 0, maximum: 20 },
    response_format: responseFormat,
    tools: { type: ['array', 'null'], maxItems: shared.tools.maxItems, items: tool },
    tool_choice: toolChoice,
    parallel_tool_calls: boolean,
    functions: { type: ['array', 'null'], maxItems: 128, items: functionDefinition },
    function_call: { anyOf: [{ enum: ['none', 'auto', null] }, named] },
    reasoning_effort: { enum: [...effort.enum, null] },
    reasoning: {
      type: ['object', 'null'],
      properties: {
        effort: { enum: [...effort.enum, null] },
        max_tokens: { type: ['integer', 'null'], minimum: 0, maximum: shared.reasoning.properties.budget_tokens.maximum },
        enabled: boolean,
        exclude: boolean,
        summary: { enum: ['auto', 'concise', 'detailed', null] },
      },
    },
    thinking: {
      type: ['object', 'null'],
      properties: { type: optionalString, budget_tokens: { type: ['integer', 'null'], minimum: 0 } },
    },
    verbosity: { enum: ['low', 'medium', 'high', null] },
    modalities: { type: ['array', 'null'], items: string },
    web_search_options: {
      type: ['object', 'null'],
      properties: {
        search_context_size: { enum: ['low', 'medium', 'high', null] },
        user_location: {
          type: ['object', 'null'],
          properties: {
            approximate: {
              type: ['object', 'null'],
              properties: { country: optionalString, region: optionalString, city: optionalString, timezone: optionalString },
            },
          },
        },
      },
    },
    service_tier: optionalString,
    store: boolean,
    metadata: { type: ['object', 'null'] },
    user: optionalString,
    safety_identifier: optionalString,
    session_id: { ...shared.session_id, type: ['string', 'null'] },
    prompt_cache_key: optionalString,
    prompt_cache_retention: { enum: [...shared.prompt_cache_retention.enum, null] },
    prompt_cache_options: { ...shared.prompt_cache_options, type: ['object', 'null'] },
    cache_control: cacheControl,
    routing: shared.routing,
  },
} as const

/** Throws a 400 for the first problem. */
export const checkRequest = bodyValidator(requestBodySchema)
