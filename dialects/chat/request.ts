import type { JsonObject, ProviderCall } from '../../core/index.ts'
import type { UpstreamRequestBody } from '../../core/kit.ts'
import type { ChatHost, ChatExtension, ChatUnsupported } from './chat-host.ts'
import { withHostNames } from '../host/sent-body.ts'
import { messagesOf } from './messages.ts'
import { dialect, exactOf, type Exact } from './own-dialect.ts'
import { searchMembers, warnOfSearch } from './search.ts'
import { toolsFor } from './tools.ts'

type Warn = (param: string, message: string) => void

/** The body of `POST {baseUrl}/chat/completions`. JSON leaves out undefined members. */
export function requestBody({ request, endpoint }: ProviderCall, host: ChatHost): JsonObject {
  const knows = (member: ChatUnsupported): boolean => !host.without?.includes(member)
  const extended = (member: ChatExtension): boolean => host.extensions?.includes(member) ?? false
  const exact = exactOf(request)
  const body: JsonObject = {
    model: endpoint.upstreamModel,
    messages: messagesOf(request, host),
    max_tokens: request.max_output_tokens,
    n: request.choices,
    temperature: knows('temperature') ? request.temperature : undefined,
    top_p: knows('top_p') ? request.top_p : undefined,
    presence_penalty: knows('presence_penalty') ? request.presence_penalty : undefined,
    frequency_penalty: knows('frequency_penalty') ? request.frequency_penalty : undefined,
    ...(knows('stop') && request.stop?.length && { stop: request.stop }),
    ...(knows('seed') && request.seed !== undefined && { seed: request.seed }),
    ...(knows('logit_bias') && request.logit_bias && { logit_bias: request.logit_bias }),
    ...(extended('top_k') && request.top_k !== undefined && { top_k: request.top_k }),
    response_format: responseFormat(request, host),
    verbosity: extended('verbosity') ? request.text?.verbosity : undefined,
    prompt_cache_key: extended('prompt_cache_key') ? request.prompt_cache_key : undefined,
    prompt_cache_options: extended('prompt_cache_options') ? request.prompt_cache_options : undefined,
    prompt_cache_retention: extended('prompt_cache_retention') ? retention(request) : undefined,
    cache_control: extended('cache_control') ? request.cache_control : undefined,
    service_tier: extended('service_tier') ? (exact?.service_tier ?? request.service_tier) : undefined,
    store: extended('store') ? false : undefined,
  }
  // A literal with spreads takes several times as long to build.
  Object.assign(body, toolsFor(request, host), searchMembers(request, host), reasoning(request, host, exact))
  if (knows('logprobs') && wantsLogprobs(request)) Object.assign(body, { logprobs: true, top_logprobs: request.top_logprobs || undefined })
  if (request.stream) Object.assign(body, { stream: true, stream_options: knows('stream_options') ? { include_usage: true } : undefined })
  const named = withHostNames(body, host.renamed)
  const extra = request.extra?.dialect === dialect ? request.extra.fields : undefined
  return extra && !isEmpty(extra) ? { ...extra, ...named } : named
}

function isEmpty(members: JsonObject): boolean {
  for (const _ in members) return false
  return true
}

/** Warns about parts of the request that this host does not support. */
export function dropped({ request }: ProviderCall, host: ChatHost, warn: Warn): void {
  for (const member of host.without ?? []) if (asked[member]?.(request, host)) warn(...notSent(member))
  warnOfSearch(request, host, warn)
  if (request.text?.verbosity && !host.extensions?.includes('verbosity')) warn('text.verbosity', leftOut)
  if (request.top_k !== undefined && !host.extensions?.includes('top_k')) warn('top_k', leftOut)
}

const leftOut = 'is not supported by this provider and was left out'

const asked: { readonly [M in ChatUnsupported]?: (request: UpstreamRequestBody, host: ChatHost) => boolean } = {
  frequency_penalty: request => Boolean(request.frequency_penalty),
  presence_penalty: request => Boolean(request.presence_penalty),
  parallel_tool_calls: request => request.parallel_tool_calls === false && Boolean(request.tools?.length),
  logprobs: wantsLogprobs,
  reasoning_effort: ({ reasoning }, { effort }) => reasoning?.effort !== undefined && effort === undefined,
  temperature: request => request.temperature !== undefined,
  top_p: request => request.top_p !== undefined,
  stop: request => Boolean(request.stop?.length),
  seed: request => request.seed !== undefined,
  logit_bias: request => request.logit_bias !== undefined,
  strict: request => request.tools?.some(tool => tool.type === 'function' && tool.strict) ?? false,
}

function notSent(member: ChatUnsupported): [param: string, message: string] {
  return [names[member] ?? member, leftOut]
}

/** The caller's names for these members. */
const names: { readonly [M in ChatUnsupported]?: string } = {
  logprobs: 'top_logprobs',
  reasoning_effort: 'reasoning.effort',
  strict: 'tools[].strict',
}

function wantsLogprobs({ logprobs = false, top_logprobs }: UpstreamRequestBody): boolean {
  return Boolean(top_logprobs) || logprobs
}

function retention({ prompt_cache_retention: value }: UpstreamRequestBody): string | undefined {
  return value === 'in-memory' ? 'in_memory' : value
}

function reasoning({ reasoning: wanted }: UpstreamRequestBody, host: ChatHost, exact: Exact | undefined): JsonObject {
  const effort = wanted?.effort
  const effortMember = host.without?.includes('reasoning_effort') ? {} : { reasoning_effort: effort }
  switch (host.effort) {
    case 'reasoning':
      if (exact?.reasoning) return { reasoning: exact.reasoning }
      return reasoningObject(effort, wanted?.summary ?? wanted?.generate_summary)
    case 'enable_thinking':
      return effort === undefined ? {} : { enable_thinking: effort !== 'none' }
    case 'thinking':
      if (exact?.thinking) return { thinking: exact.thinking, ...effortMember }
      if (effort === undefined) return {}
      return effort === 'none' ? { thinking: { type: 'disabled' } } : { thinking: { type: 'enabled' }, ...effortMember }
    default:
      return effortMember
  }
}

/** An empty object would turn reasoning on. */
function reasoningObject(effort: string | undefined, summary: string | undefined): JsonObject {
  return effort === undefined && summary === undefined ? {} : { reasoning: { effort, summary } }
}

function responseFormat({ text }: UpstreamRequestBody, host: ChatHost): JsonObject | undefined {
  const format = text?.format
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json_object' }
  const { name, description, schema, strict } = format
  return {
    type: 'json_schema',
    json_schema: { name, description, schema, strict: host.without?.includes('strict') ? undefined : strict },
  }
}
