import { cacheControlSchema, itemSchema, type Item } from './items.ts'
import type { JsonObject, Schema, Wire } from '../foundation/json.ts'
import { intervalPattern } from './metric-interval.ts'
import { maxTools, toolChoiceSchema, toolSchema, type ToolDefinition } from './tools.ts'

export * from './tools.ts'

// A request for an answer, as every surface can say it. A surface makes it of what its callers send: docs/protocol/request.md#members.

const whole = 9_007_199_254_740_991
const positiveInteger = { type: 'integer', minimum: 1, maximum: whole } as const
const string = { type: 'string' } as const
const fallbacks = { type: 'array', maxItems: 64, items: { type: 'string', minLength: 1, maxLength: 256 } } as const

/** Values of `reasoning.effort`, least first: docs/protocol/request.md#reasoning. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
/** How hard the model thinks, as in `reasoning.effort` and `Capabilities.efforts`. */
export type Effort = (typeof efforts)[number]

/** The service tiers that a request may name: docs/protocol/request.md#accepted-without-effect. */
export const serviceTiers = ['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'] as const
/** `fast` is another name for `priority`. */
export type ServiceTier = (typeof serviceTiers)[number]

/** Parts of an answer that vendors leave out unless a request asks for them. Log probabilities have their own member. */
export const answerDetails = [
  'search-results',
  'search-sources',
  'reasoning-state',
  'file-search-results',
  'code-outputs',
  'input-images',
  'screenshots',
] as const
/** An entry of `details` in a request. */
export type AnswerDetail = (typeof answerDetails)[number]

const textFormat = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    { type: 'object', required: ['type'], properties: { type: { const: 'text' } } },
    { type: 'object', required: ['type'], properties: { type: { const: 'json_object' } } },
    {
      type: 'object',
      required: ['type', 'name', 'schema'],
      properties: {
        type: { const: 'json_schema' },
        name: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-zA-Z0-9_-]+$' },
        schema: { type: 'object' },
        description: string,
        strict: { type: 'boolean' },
      },
    },
  ],
} as const satisfies Schema

/** Plugins supply the sorts, so the planner checks the value. */
const sort = { type: 'string', minLength: 1, maxLength: 256 } as const

const routing = {
  type: 'object',
  properties: {
    model: { type: 'object', properties: { fallbacks, sort } },
    provider: {
      type: 'object',
      properties: {
        fallbacks,
        sort,
        interval: { type: 'string', pattern: intervalPattern },
      },
    },
  },
} as const satisfies Schema

/** The schema of a `GenerationRequest`, before a surface adds its own rules: docs/protocol/request.md#members. */
export const requestSchema = {
  type: 'object',
  required: ['input', 'model'],
  properties: {
    input: { type: 'array', minItems: 1, maxItems: 10_000, items: itemSchema },
    model: { type: 'string', minLength: 1, maxLength: 256 },
    instructions: string,
    max_output_tokens: positiveInteger,
    /** How many answers to give, each of at most `max_output_tokens`. Absent: one. Not together with tools that the gateway runs. */
    choices: { type: 'integer', minimum: 2, maximum: 8 },
    reasoning: {
      type: 'object',
      properties: {
        effort: { enum: efforts },
        /** The most tokens to think with. Dialects with efforts take the nearest one. */
        budget_tokens: { type: 'integer', minimum: 0, maximum: whole },
        summary: { enum: ['auto', 'concise', 'detailed'] },
        generate_summary: { enum: ['auto', 'concise', 'detailed'] },
      },
    },
    stream: { type: 'boolean' },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    top_p: { type: 'number', minimum: 0, maximum: 1 },
    text: { type: 'object', properties: { format: textFormat, verbosity: { enum: ['low', 'medium', 'high'] } } },
    tools: { type: 'array', maxItems: maxTools, items: toolSchema },
    tool_choice: toolChoiceSchema,
    parallel_tool_calls: { type: 'boolean' },
    prompt_cache_key: string,
    prompt_cache_options: {
      type: 'object',
      properties: { mode: { enum: ['implicit', 'explicit'] }, ttl: string, prewarm: { type: 'boolean' }, comparison_response_id: string },
    },
    prompt_cache_retention: { enum: ['in-memory', 'in_memory', '24h'] },
    logprobs: { type: 'boolean' },
    top_logprobs: { type: 'integer', minimum: 0, maximum: 20 },
    details: { type: 'array', maxItems: answerDetails.length, items: { enum: answerDetails } },
    context_management: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'compact_threshold'],
        properties: { type: { const: 'compaction' }, compact_threshold: { type: 'integer', minimum: 1000, maximum: whole } },
      },
    },
    max_tool_calls: positiveInteger,
    /** Vendors see `fast` as `priority`, which it is another name for. */
    service_tier: { enum: serviceTiers },
    truncation: { enum: ['auto', 'disabled'] },
    user: string,
    /** The session that the request belongs to, in the caller's words. The gateway keeps only an HMAC of it. */
    session_id: { type: 'string', maxLength: 512 },
    routing,
    cache_control: cacheControlSchema,
    presence_penalty: { type: 'number', minimum: -2, maximum: 2 },
    frequency_penalty: { type: 'number', minimum: -2, maximum: 2 },
    top_k: { type: 'integer', minimum: 0, maximum: whole },
    stop: { type: 'array', maxItems: 16, items: { type: 'string', minLength: 1, maxLength: 1024 } },
    seed: { type: 'integer', minimum: -whole, maximum: whole },
    logit_bias: { type: 'object', maxProperties: 1024, additionalProperties: { type: 'number', minimum: -100, maximum: 100 } },
  },
} as const satisfies Schema

/** The form of the answer, such as JSON by a schema: docs/protocol/request.md#text. */
export type TextFormat = Wire<typeof textFormat>
/** How the caller wants endpoints chosen: docs/protocol/routing.md. */
export type Routing = Wire<typeof routing>

/**
 * A generation request. Holds known members only; unknown top-level members are in `extra`. It says what the model should answer. What
 * the caller wants besides, such as to continue a stored answer, is in the `RequestEnvelope`.
 */
export type GenerationRequest = Omit<Wire<typeof requestSchema>, 'input' | 'tools' | 'routing'> & {
  /** Oldest first. A text of the caller is a message of the user here: docs/protocol/items.md. */
  readonly input: readonly Item[]
  /** Those that the caller runs, and those of the gateway: docs/protocol/tools.md. */
  readonly tools?: readonly ToolDefinition[]
  /** Providers, sorts and fallbacks that the caller asks for: docs/protocol/routing.md. */
  readonly routing?: Routing
  /**
   * The dialect that the caller speaks, and its top-level members that this request cannot say. They go only to upstreams of that dialect,
   * and so do the `extra` members of items, parts and tools. Removed before guardrails check the request. `exact`: what the request does
   * say, in the caller's own words, for upstreams of that dialect. Others lose nothing without it. `needed`: the names of `fields` without
   * which the answer would be another one, so that only endpoints of the dialect may answer.
   */
  readonly extra?: {
    /** Such as `openai-responses`. */
    readonly dialect: string
    /** By their names in the dialect. */
    readonly fields: JsonObject
    /** By their names in the dialect. */
    readonly exact?: JsonObject
    /** Default: none. */
    readonly needed?: readonly string[]
  }
}

/** Members that only the gateway uses. They are never sent upstream. */
export type GatewayOnlyField = 'routing' | 'session_id' | 'user'

/** The request that is sent upstream. The cache key is an HMAC of the caller's, sealed state is opened, and vendors are always told not to store. */
export type UpstreamRequestBody = Omit<GenerationRequest, GatewayOnlyField>
