import type { Endpoint, GatewayError, JsonObject, TokenUsage } from '../../../core/index.ts'
import { withShownTools, type ToolDefinition } from '../../../core/kit.ts'
import { publicCode } from './errors.ts'
import { withSentType } from './normalise.ts'
import type { RequestBody } from './request-body.ts'

/** The response object while it grows. Every echoed field has a concrete value: docs/protocol/response.md#the-response-object. */
export interface ResponseObject {
  id: string
  object: 'response'
  created_at: number
  completed_at: number | null
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'
  model: string
  output: readonly JsonObject[]
  error: JsonObject | null
  incomplete_details: JsonObject | null
  usage: JsonObject | null
  store: boolean
  /** Set if it is kept. */
  conversation: { readonly id: string } | null
  readonly [echoed: string]: unknown
}

export function newResponse(id: string, createdAt: number, request: RequestBody): ResponseObject {
  const { text, reasoning, prompt_cache_options: cacheOptions } = request
  const { tools = [], tool_choice: choice } = withShownTools(request)
  return {
    id,
    object: 'response',
    created_at: createdAt,
    completed_at: null,
    status: 'in_progress',
    background: request.background ?? false,
    conversation: null,
    error: null,
    frequency_penalty: request.frequency_penalty ?? 0,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: request.presence_penalty ?? 0,
    previous_response_id: request.previous_response_id ?? null,
    prompt: request.prompt ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    prompt_cache_options: cacheOptions ? { ...cacheOptions, mode: cacheOptions.mode ?? 'implicit', ttl: cacheOptions.ttl ?? '30m' } : null,
    prompt_cache_retention: request.prompt_cache_retention ?? null,
    reasoning: reasoning ? { effort: reasoning.effort ?? null, summary: reasoning.summary ?? reasoning.generate_summary ?? null } : null,
    safety_identifier: request.safety_identifier ?? null,
    service_tier: request.service_tier ?? 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { format: text?.format ?? { type: 'text' }, verbosity: text?.verbosity ?? 'medium' },
    tool_choice: echoedChoice(choice),
    tools: tools.map(echoedTool),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    usage: null,
    user: request.user ?? null,
  }
}

/** docs/protocol/response.md#usage; `cached_tokens_created` is the deprecated name of `cache_write_tokens`. */
export function publicUsage(usage: TokenUsage, costUsd: number | null): JsonObject {
  const written = usage.cacheWrite5m + usage.cacheWrite1h
  const input = usage.uncachedInput + usage.cacheRead + written
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: written, cached_tokens_created: written },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
    tool_calls: usage.toolCalls ?? {},
    cost_usd: costUsd,
  }
}

export function publicError(error: GatewayError): JsonObject {
  return {
    code: publicCode(error),
    message: error.message,
    ...(error.upstreamError !== undefined && { upstream_error: error.upstreamError }),
  }
}

export function publicModel({ provider, model }: Endpoint): string {
  return `${provider}/${model}`
}

function echoedChoice(choice: RequestBody['tool_choice'] = 'auto'): unknown {
  if (typeof choice === 'string') return choice
  return choice.tools ? { ...choice, tools: choice.tools.map(withSentType) } : withSentType(choice)
}

/** The public schemas require all fields of a function. */
function echoedTool(tool: ToolDefinition): JsonObject {
  if (tool.type !== 'function') return withSentType(tool) as JsonObject
  return { ...tool, description: tool.description ?? null, parameters: tool.parameters ?? null, strict: tool.strict ?? false }
}
