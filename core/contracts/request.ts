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
    /** Between models. */
    model: {
      type: 'object',
      properties: {
        /** Models to try after the named one. */
        fallbacks,
        /** The order of the models that `auto` chooses from. */
        sort,
      },
    },
    /** Between the providers of a model. */
    provider: {
      type: 'object',
      properties: {
        /** Providers to try after the first endpoint. */
        fallbacks,
        /** The order of the endpoints, such as `latency`. */
        sort,
        /** The span of the metrics that sorts read, such as `15m`. */
        interval: { type: 'string', pattern: intervalPattern },
      },
    },
  },
} as const satisfies Schema

/** The schema of a `GenerationRequest`: docs/protocol/request.md#members. */
export const requestSchema = {
  type: 'object',
  required: ['input', 'model'],
  properties: {
    /** The conversation, the oldest item first: docs/protocol/items.md#input-items. */
    input: { type: 'array', minItems: 1, maxItems: 10_000, items: itemSchema },
    /** As the caller wrote it: docs/protocol/routing.md#model-names. */
    model: { type: 'string', minLength: 1, maxLength: 256 },
    /** A system message in front of the conversation. */
    instructions: string,
    /** Visible and reasoning tokens together. */
    max_output_tokens: positiveInteger,
    /** How many answers to give, each of at most `max_output_tokens`. Absent: one. Not together with tools that the gateway runs. */
    choices: { type: 'integer', minimum: 2, maximum: 8 },
    /** Dropped on models that do not reason: docs/protocol/request.md#reasoning. */
    reasoning: {
      type: 'object',
      properties: {
        /** Lowering takes the next level that the model has. */
        effort: { enum: efforts },
        /** The most tokens to think with. Dialects with efforts take the nearest one. */
        budget_tokens: { type: 'integer', minimum: 0, maximum: whole },
        /** How detailed the digest of the reasoning is. Absent: none is asked for. */
        summary: { enum: ['auto', 'concise', 'detailed'] },
        /** An older name of `summary`, which wins over it. */
        generate_summary: { enum: ['auto', 'concise', 'detailed'] },
      },
    },
    /** The caller wants a stream. */
    stream: { type: 'boolean' },
    /** Higher is more random. */
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    /** Only the most likely tokens that make up this probability. */
    top_p: { type: 'number', minimum: 0, maximum: 1 },
    /** The form of the answer: docs/protocol/request.md#text. */
    text: {
      type: 'object',
      properties: {
        /** Default: text. */
        format: textFormat,
        /** Default: `medium`. */
        verbosity: { enum: ['low', 'medium', 'high'] },
      },
    },
    /** docs/protocol/tools.md#definitions. */
    tools: { type: 'array', maxItems: maxTools, items: toolSchema },
    /** Default: `auto`. docs/protocol/tools.md#choosing. */
    tool_choice: toolChoiceSchema,
    /** False: one call at a time. */
    parallel_tool_calls: { type: 'boolean' },
    /** Requests with equal keys share a prompt cache. Vendors get an HMAC. */
    prompt_cache_key: string,
    /** Passed on to vendors that know them. */
    prompt_cache_options: {
      type: 'object',
      properties: {
        /** `explicit`: by the `prompt_cache_breakpoint` of parts. */
        mode: { enum: ['implicit', 'explicit'] },
        /** How long to keep the cache, in the vendor's form. */
        ttl: string,
        /** Passed on as it is. */
        prewarm: { type: 'boolean' },
        /** Passed on as it is. */
        comparison_response_id: string,
      },
    },
    /** How long the vendor keeps the cache. Both spellings of in-memory mean the same. */
    prompt_cache_retention: { enum: ['in-memory', 'in_memory', '24h'] },
    /** The log probabilities of the tokens of the answer. */
    logprobs: { type: 'boolean' },
    /** How many alternatives to tell at each token. */
    top_logprobs: { type: 'integer', minimum: 0, maximum: 20 },
    /** Absent: none of them. */
    details: { type: 'array', maxItems: answerDetails.length, items: { enum: answerDetails } },
    /** Compacts long conversations: docs/protocol/request.md#context-management. */
    context_management: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'compact_threshold'],
        properties: {
          /** The only kind. */
          type: { const: 'compaction' },
          /** The tokens of input at which to compact. */
          compact_threshold: { type: 'integer', minimum: 1000, maximum: whole },
        },
      },
    },
    /** Of the tools that the gateway runs, together. */
    max_tool_calls: positiveInteger,
    /** Vendors see `fast` as `priority`, which it is another name for. */
    service_tier: { enum: serviceTiers },
    /** Passed on. The gateway never truncates. */
    truncation: { enum: ['auto', 'disabled'] },
    /** The caller's end user. Stands in for `prompt_cache_key`. */
    user: string,
    /** The session that the request belongs to, in the caller's words. The gateway keeps only an HMAC of it. */
    session_id: { type: 'string', maxLength: 512 },
    /** Which models and providers to try: docs/protocol/routing.md. */
    routing,
    /** For the whole request, as on a part. */
    cache_control: cacheControlSchema,
    /** Above 0: tokens that have appeared become less likely. */
    presence_penalty: { type: 'number', minimum: -2, maximum: 2 },
    /** Above 0: a token becomes less likely each time it appears. */
    frequency_penalty: { type: 'number', minimum: -2, maximum: 2 },
    /** Only this many of the most likely tokens. */
    top_k: { type: 'integer', minimum: 0, maximum: whole },
    /** Texts at which the answer ends, without them. */
    stop: { type: 'array', maxItems: 16, items: { type: 'string', minLength: 1, maxLength: 1024 } },
    /** The same seed should give the same answer, where vendors support it. */
    seed: { type: 'integer', minimum: -whole, maximum: whole },
    /** By id of the token: how much likelier or less likely it becomes. */
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
