import type { JsonObject } from '../../../core/index.ts'
import { bodyValidator, cacheControlSchema, maxCallIdLength, maxTextLength, requestSchema, type Routing } from '../../../core/kit.ts'

// The body of `POST /v1/messages`: docs/protocol/messages.md#request. Members may be null, and unknown ones are allowed everywhere.

const string = { type: 'string' } as const
const boolean = { type: ['boolean', 'null'] } as const
const optionalString = { type: ['string', 'null'] } as const
const text = { type: 'string', maxLength: maxTextLength } as const
const shared = requestSchema.properties

const cacheControl = { ...cacheControlSchema, type: ['object', 'null'] } as const

const source = {
  type: 'object',
  required: ['type'],
  properties: {
    type: string,
    media_type: string,
    data: string,
    url: string,
    file_id: string,
    content: { type: ['string', 'array'] },
  },
} as const

type Rule = Readonly<Record<string, unknown>>

/** The members that blocks of a type must have. */
const contentRules: Readonly<Record<string, Rule>> = {
  text: { required: ['text'], properties: { text } },
  image: { required: ['source'], properties: { source } },
  document: { required: ['source'], properties: { source, title: optionalString, context: optionalString } },
  search_result: {
    required: ['content', 'source', 'title'],
    properties: { source: string, title: string, content: { type: 'array', items: { type: 'object', properties: { text } } } },
  },
}

const toolResult = {
  required: ['tool_use_id'],
  properties: {
    tool_use_id: { type: 'string', minLength: 1, maxLength: maxCallIdLength },
    content: { anyOf: [text, { type: 'array', items: blockOf(contentRules) }, { type: 'null' }] },
    is_error: boolean,
  },
} as const

const blockRules: Readonly<Record<string, Rule>> = {
  ...contentRules,
  thinking: { required: ['thinking'], properties: { thinking: string, signature: optionalString } },
  redacted_thinking: { required: ['data'], properties: { data: string } },
  tool_use: {
    required: ['id', 'name'],
    properties: {
      id: { type: 'string', minLength: 1, maxLength: maxCallIdLength },
      name: { type: 'string', minLength: 1, maxLength: 128 },
      input: { type: ['object', 'null'] },
    },
  },
  tool_result: toolResult,
}

/** Blocks of other types are allowed: they go to upstreams of the same dialect. */
function blockOf(rules: Readonly<Record<string, Rule>>) {
  return {
    type: 'object',
    required: ['type'],
    properties: { type: string, cache_control: cacheControl },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    allOf: Object.entries(rules).map(([type, then]) => ({ if: { properties: { type: { const: type } } }, then })),
  } as const
}

const content = { anyOf: [text, { type: 'array', maxItems: 10_000, items: blockOf(blockRules) }] } as const

const tool = {
  type: 'object',
  properties: {
    type: optionalString,
    name: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
    description: optionalString,
    input_schema: { type: ['object', 'null'] },
    strict: boolean,
    max_uses: { type: ['integer', 'null'], minimum: 1 },
    allowed_domains: { type: ['array', 'null'], items: string },
    blocked_domains: { type: ['array', 'null'], items: string },
    user_location: { type: ['object', 'null'] },
  },
  if: { properties: { type: { enum: ['custom', null] } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['name', 'input_schema'] },
} as const

const format = {
  type: ['object', 'null'],
  required: ['type', 'schema'],
  properties: { type: { const: 'json_schema' }, schema: { type: 'object' } },
} as const

/** Errors name the first member that is wrong, in this order. */
const countProperties = {
  model: shared.model,
  messages: {
    type: 'array',
    minItems: 1,
    maxItems: 10_000,
    items: { type: 'object', required: ['role', 'content'], properties: { role: { enum: ['user', 'assistant', 'system'] }, content } },
  },
  system: { anyOf: [text, { type: 'array', items: blockOf({ text: contentRules['text']! }) }, { type: 'null' }] },
  tools: { type: ['array', 'null'], maxItems: shared.tools.maxItems, items: tool },
  tool_choice: {
    type: ['object', 'null'],
    required: ['type'],
    properties: { type: { enum: ['auto', 'any', 'tool', 'none'] }, name: string, disable_parallel_tool_use: boolean },
    if: { properties: { type: { const: 'tool' } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ['name'] },
  },
  thinking: {
    type: ['object', 'null'],
    required: ['type'],
    properties: {
      type: string,
      budget_tokens: { type: ['integer', 'null'], minimum: 1 },
      display: { enum: ['summarized', 'omitted', null] },
    },
  },
  output_config: {
    type: ['object', 'null'],
    properties: { effort: { enum: [...shared.reasoning.properties.effort.enum, null] }, format },
  },
  output_format: format,
  cache_control: cacheControl,
} as const

export const countBodySchema = { type: 'object', required: ['model', 'messages'], properties: countProperties } as const

export const requestBodySchema = {
  type: 'object',
  required: ['model', 'max_tokens', 'messages'],
  properties: {
    ...countProperties,
    max_tokens: shared.max_output_tokens,
    stream: boolean,
    stop_sequences: { type: ['array', 'null'], maxItems: shared.stop.maxItems, items: shared.stop.items },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    top_p: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    top_k: { type: ['integer', 'null'], minimum: 0, maximum: shared.top_k.maximum },
    metadata: { type: ['object', 'null'], properties: { user_id: optionalString } },
    session_id: { ...shared.session_id, type: ['string', 'null'] },
    service_tier: { enum: ['auto', 'standard_only', null] },
    routing: shared.routing,
  },
} as const

type Nullable<T> = T | null | undefined

export type Block = JsonObject & { readonly type: string }

export interface WireTool extends JsonObject {
  readonly type?: string | null
  readonly name?: string
  readonly description?: string | null
  readonly input_schema?: JsonObject
  readonly strict?: boolean | null
  readonly max_uses?: number | null
  readonly allowed_domains?: readonly string[] | null
  readonly blocked_domains?: readonly string[] | null
  readonly user_location?: JsonObject | null
}

export interface WireToolChoice {
  readonly type: 'auto' | 'any' | 'tool' | 'none'
  readonly name?: string
  readonly disable_parallel_tool_use?: boolean | null
}

export interface Thinking {
  readonly type: string
  readonly budget_tokens?: number | null
  readonly display?: 'summarized' | 'omitted' | null
}

export interface OutputFormat {
  readonly type: 'json_schema'
  readonly schema: JsonObject
}

export interface OutputConfig extends JsonObject {
  readonly effort?: (typeof shared.reasoning.properties.effort.enum)[number] | null
  readonly format?: OutputFormat | null
}

export interface WireMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

/** A body that passed the check. */
export interface RequestBody extends JsonObject {
  readonly model: string
  readonly messages: readonly WireMessage[]
  readonly system?: Nullable<string | readonly Block[]>
  readonly max_tokens?: number
  readonly tools?: Nullable<readonly WireTool[]>
  readonly tool_choice?: Nullable<WireToolChoice>
  readonly thinking?: Nullable<Thinking>
  readonly output_config?: Nullable<OutputConfig>
  readonly output_format?: Nullable<OutputFormat>
  readonly cache_control?: Nullable<{ readonly type: 'ephemeral'; readonly ttl?: '5m' | '1h' }>
  readonly stream?: Nullable<boolean>
  readonly stop_sequences?: Nullable<readonly string[]>
  readonly temperature?: Nullable<number>
  readonly top_p?: Nullable<number>
  readonly top_k?: Nullable<number>
  readonly metadata?: Nullable<JsonObject & { readonly user_id?: string | null }>
  readonly service_tier?: Nullable<'auto' | 'standard_only'>
  readonly routing?: Routing
}

/** Throws a 400 for the first problem. */
export const checkRequest = bodyValidator(requestBodySchema)

/** The same for a count, which needs no `max_tokens`. */
export const checkCount = bodyValidator(countBodySchema)
