import {
  requestSchema,
  type GenerationEvent,
  type JsonObject,
  type ToolChoice,
  type ToolDefinition,
  type UpstreamRequestBody,
} from '../../../core/index.ts'
import { itemsOf } from './input-items.ts'

export interface RequestOptions {
  /** Request encrypted reasoning. Default: true. */
  readonly reasoningState?: boolean | undefined
  /** Sent as `stream_options.include_obfuscation` if set. */
  readonly obfuscation?: boolean | undefined
}

const minimumOutputTokens = 16

/** The body of `POST /responses`. */
export function requestBody(request: UpstreamRequestBody, model: string, options: RequestOptions = {}): JsonObject {
  const { tools, reasoning, max_output_tokens: maxOutputTokens, prompt_cache_retention: cacheRetention } = request
  const body: JsonObject = {
    ...unknownFields(request),
    model,
    input: itemsOf(request.input),
    instructions: request.instructions,
    tools: tools?.map(wireTool),
    tool_choice: request.tool_choice && wireToolChoice(request.tool_choice),
    parallel_tool_calls: request.parallel_tool_calls,
    max_tool_calls: request.max_tool_calls,
    text: request.text,
    reasoning: reasoning && wireReasoning(reasoning),
    include: included(request, options),
    max_output_tokens: maxOutputTokens && Math.max(maxOutputTokens, minimumOutputTokens),
    temperature: request.temperature,
    top_p: request.top_p,
    top_logprobs: request.top_logprobs,
    truncation: request.truncation,
    context_management: request.context_management,
    service_tier: request.service_tier,
    prompt_cache_key: request.prompt_cache_key,
    prompt_cache_options: request.prompt_cache_options,
    prompt_cache_retention: cacheRetention === 'in-memory' ? 'in_memory' : cacheRetention,
    store: false,
    stream: request.stream ?? false,
    stream_options: request.stream && options.obfuscation !== undefined ? { include_obfuscation: options.obfuscation } : undefined,
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

/** Warnings about what `requestBody` drops or changes. */
export function warningsFor(request: UpstreamRequestBody): readonly GenerationEvent[] {
  const warnings: GenerationEvent[] = []
  for (const param of ['presence_penalty', 'frequency_penalty'] as const)
    if (request[param]) warnings.push({ type: 'warning', param, message: 'is not supported by this provider and was dropped' })
  if (request.max_output_tokens !== undefined && request.max_output_tokens < minimumOutputTokens)
    warnings.push({ type: 'warning', param: 'max_output_tokens', message: `raised to ${minimumOutputTokens}, the provider's minimum` })
  return warnings
}

function unknownFields({ extra }: UpstreamRequestBody): JsonObject {
  if (extra?.dialect !== 'openai-responses') return {}
  return Object.fromEntries(Object.entries(extra.fields).filter(([field]) => !(field in requestSchema.properties)))
}

function wireTool(tool: ToolDefinition): JsonObject {
  if (tool.type !== 'web_search') return tool
  const { engine: _, ...search } = tool as typeof tool & { readonly engine?: unknown }
  return search
}

function wireToolChoice(choice: ToolChoice): ToolChoice {
  if (typeof choice === 'string' || choice.type !== 'allowed_tools') return choice
  return choice.mode === 'none' ? 'none' : { ...choice, mode: choice.mode ?? 'auto' }
}

function wireReasoning({
  generate_summary: formerSummary,
  ...reasoning
}: NonNullable<UpstreamRequestBody['reasoning']>): UpstreamRequestBody['reasoning'] {
  return formerSummary && !reasoning.summary ? { ...reasoning, summary: formerSummary } : reasoning
}

function included({ include = [] }: UpstreamRequestBody, { reasoningState = true }: RequestOptions): readonly string[] | undefined {
  const values = new Set<string>(include)
  if (reasoningState) values.add('reasoning.encrypted_content')
  return values.size === 0 ? undefined : [...values]
}
