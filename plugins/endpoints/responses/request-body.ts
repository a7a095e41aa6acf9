import type { GenerationRequest } from '../../../core/index.ts'
import { inputPartSchema, requestSchema, type Schema, type Wire } from '../../../core/kit.ts'

// The body of `POST /v1/responses`, with nulls removed and `input` as an array: docs/protocol/request.md#members.

export const includables = [
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.output_text.logprobs',
  'message.input_image.image_url',
  'reasoning.encrypted_content',
  'file_search_call.results',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
] as const
export type Includable = (typeof includables)[number]

const string = { type: 'string' } as const

/** Members of this surface alone: the request that core gets does not have them. */
const ownMembers = {
  include: { type: 'array', maxItems: 8, items: { enum: includables } },
  metadata: {
    type: 'object',
    maxProperties: 16,
    propertyNames: { maxLength: 64 },
    additionalProperties: { type: 'string', maxLength: 512 },
  },
  previous_response_id: { type: 'string', minLength: 1 },
  background: { type: 'boolean' },
  conversation: {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'object', required: ['id'], properties: { id: string } },
    ],
  },
  prompt: {
    type: 'object',
    required: ['id', 'version', 'variables'],
    properties: {
      id: string,
      version: string,
      variables: { type: 'object', additionalProperties: { anyOf: [string, inputPartSchema] } },
    },
  },
  safety_identifier: string,
  store: { type: 'boolean' },
  stream_options: { type: 'object', properties: { include_obfuscation: { type: 'boolean' } } },
} as const satisfies Readonly<Record<string, Schema>>

const shared = requestSchema.properties

/** Errors name the first member that is wrong, in this order. */
export const requestBodySchema = {
  type: 'object',
  required: requestSchema.required,
  properties: {
    input: shared.input,
    model: shared.model,
    include: ownMembers.include,
    instructions: shared.instructions,
    max_output_tokens: shared.max_output_tokens,
    metadata: ownMembers.metadata,
    reasoning: shared.reasoning,
    stream: shared.stream,
    temperature: shared.temperature,
    top_p: shared.top_p,
    text: shared.text,
    tools: shared.tools,
    tool_choice: shared.tool_choice,
    parallel_tool_calls: shared.parallel_tool_calls,
    previous_response_id: ownMembers.previous_response_id,
    prompt_cache_key: shared.prompt_cache_key,
    prompt_cache_options: shared.prompt_cache_options,
    prompt_cache_retention: shared.prompt_cache_retention,
    top_logprobs: shared.top_logprobs,
    background: ownMembers.background,
    context_management: shared.context_management,
    conversation: ownMembers.conversation,
    max_tool_calls: shared.max_tool_calls,
    prompt: ownMembers.prompt,
    safety_identifier: ownMembers.safety_identifier,
    service_tier: shared.service_tier,
    session_id: shared.session_id,
    store: ownMembers.store,
    stream_options: ownMembers.stream_options,
    truncation: shared.truncation,
    user: shared.user,
    routing: shared.routing,
    cache_control: shared.cache_control,
    presence_penalty: shared.presence_penalty,
    frequency_penalty: shared.frequency_penalty,
  },
} as const

type OwnMembers = Wire<{ readonly type: 'object'; readonly properties: typeof ownMembers }>

/** A body that passed every check. */
export type RequestBody = Omit<GenerationRequest, 'logprobs' | 'details'> & OwnMembers

const ownNames: ReadonlySet<string> = new Set(Object.keys(ownMembers))

/** True for a member that only this surface has. */
export function isOwnMember(name: string): name is keyof typeof ownMembers {
  return ownNames.has(name)
}
