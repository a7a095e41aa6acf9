import type { JsonObject } from '../../core/index.ts'
import { requestSchema, type AnswerDetail, type ToolChoice, type UpstreamRequestBody, type WebSearchTool } from '../../core/kit.ts'
import { itemsOf } from './input-items.ts'
import type { ResponsesHost } from './responses-host.ts'

export const dialect = 'openai-responses'
/** OpenAI's. */
const minOutputTokens = 16

/** The vendor's words for details of an answer. */
const includable: Readonly<Record<AnswerDetail, string>> = {
  'search-results': 'web_search_call.results',
  'search-sources': 'web_search_call.action.sources',
  'reasoning-state': 'reasoning.encrypted_content',
  'file-search-results': 'file_search_call.results',
  'code-outputs': 'code_interpreter_call.outputs',
  'input-images': 'message.input_image.image_url',
  screenshots: 'computer_call_output.output.image_url',
}

/** Members of the vendor that a request has under other names, or that store something. They are not passed on as unknown ones. */
const { details: _1, logprobs: _2, stop: _3, seed: _4, top_k: _5, logit_bias: _6, choices: _7, ...shared } = requestSchema.properties
const ownMembers: ReadonlySet<string> = new Set([
  ...Object.keys(shared),
  'background',
  'conversation',
  'include',
  'metadata',
  'previous_response_id',
  'prompt',
  'safety_identifier',
  'store',
  'stream_options',
])

/** The body of `POST /responses`. */
export function requestBody(request: UpstreamRequestBody, model: string, host: ResponsesHost): JsonObject {
  const { tools, reasoning, max_output_tokens: maxOutputTokens, prompt_cache_retention: cacheRetention } = request
  const body: JsonObject = {
    ...unknownFields(request),
    model,
    input: itemsOf(request.input),
    instructions: request.instructions,
    tools: tools?.map(tool => (tool.type === 'web_search' ? searchTool(tool as WebSearchTool, model, host) : tool)),
    tool_choice: request.tool_choice && wireToolChoice(request.tool_choice),
    parallel_tool_calls: request.parallel_tool_calls,
    max_tool_calls: request.max_tool_calls,
    text: request.text,
    reasoning: reasoning && wireReasoning(searchesTooLittle(request) ? { ...reasoning, effort: 'low' } : reasoning),
    include: included(request, host),
    max_output_tokens: maxOutputTokens && Math.max(maxOutputTokens, leastOutput(host)),
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
    stream_options: request.stream && host.obfuscation !== undefined ? { include_obfuscation: host.obfuscation } : undefined,
  }
  const without: readonly string[] = host.without ?? []
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== undefined && !without.includes(name)))
}

export function leastOutput({ minOutputTokens: own = minOutputTokens }: ResponsesHost): number {
  return own
}

/** Tools that every dialect has, if some only as functions. */
const common: ReadonlySet<string> = new Set(['function', 'custom', 'namespace', 'web_search'])

/** True if the request has tools whose calls and results only this dialect can tell. */
export function hasOwnTools({ tools }: UpstreamRequestBody): boolean {
  return tools?.some(({ type }) => !common.has(type)) ?? false
}

function unknownFields({ extra }: UpstreamRequestBody): JsonObject {
  if (extra?.dialect !== dialect) return {}
  return Object.fromEntries(Object.entries(extra.fields).filter(([field]) => !ownMembers.has(field)))
}

/** Some hosts list blocked domains under another name, and OpenAI does not take them. */
function searchTool({ engine: _, filters, ...search }: WebSearchTool, model: string, host: ResponsesHost): JsonObject {
  const { allowed_domains, blocked_domains } = filters ?? {}
  const wire = {
    ...(allowed_domains?.length && { allowed_domains }),
    ...(blocked_domains?.length && excludesDomains(model, host) && { excluded_domains: blocked_domains }),
  }
  return { ...search, ...(Object.keys(wire).length > 0 && { filters: wire }) }
}

export function excludesDomains(model: string, { search }: ResponsesHost): boolean {
  return search?.excludesDomains?.test(model.toLowerCase()) ?? false
}

export function searchOf({ tools }: UpstreamRequestBody): WebSearchTool | undefined {
  return tools?.find(({ type }) => type === 'web_search') as WebSearchTool | undefined
}

function wireToolChoice(choice: ToolChoice): ToolChoice {
  if (typeof choice === 'string' || choice.type !== 'allowed_tools') return choice
  return choice.mode === 'none' ? 'none' : { ...choice, mode: choice.mode ?? 'auto' }
}

function wireReasoning({
  generate_summary: formerSummary,
  budget_tokens: _,
  ...reasoning
}: NonNullable<UpstreamRequestBody['reasoning']>): UpstreamRequestBody['reasoning'] {
  return formerSummary && !reasoning.summary ? { ...reasoning, summary: formerSummary } : reasoning
}

/** "Web search", limitations: not available with this effort. */
export function searchesTooLittle(request: UpstreamRequestBody): boolean {
  return request.reasoning?.effort === 'minimal' && searchOf(request) !== undefined
}

function included(request: UpstreamRequestBody, { reasoningState = true }: ResponsesHost): readonly string[] | undefined {
  const values = new Set<string>(request.logprobs ? ['message.output_text.logprobs'] : [])
  for (const detail of request.details ?? []) values.add(includable[detail])
  if (reasoningState) values.add(includable['reasoning-state'])
  // Every search shows its sources: docs/protocol/request.md#include.
  if (searchOf(request)) values.add(includable['search-sources'])
  return values.size === 0 ? undefined : [...values]
}
