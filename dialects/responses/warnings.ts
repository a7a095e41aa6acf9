import type { GenerationEvent } from '../../core/index.ts'
import type { UpstreamRequestBody } from '../../core/kit.ts'
import { excludesDomains, leastOutput, searchesTooLittle, searchOf } from './request.ts'
import type { ResponsesHost, ResponsesUnsupported } from './responses-host.ts'

const unsaid = ['presence_penalty', 'frequency_penalty', 'stop', 'seed', 'top_k', 'logit_bias'] as const
const notSupported = 'is not supported by this provider and was dropped'

/** Warnings about what `requestBody` drops or changes. */
export function warningsFor(request: UpstreamRequestBody, model: string, host: ResponsesHost): readonly GenerationEvent[] {
  const warnings: GenerationEvent[] = []
  const warn = (param: string, message: string): void => void warnings.push({ type: 'warning', param, message })
  for (const param of unsaid) if (request[param]) warn(param, notSupported)
  for (const member of host.without ?? []) if (asked[member]?.(request)) warn(member, notSupported)
  const least = leastOutput(host)
  if (request.max_output_tokens !== undefined && request.max_output_tokens < least)
    warn('max_output_tokens', `raised to ${least}, the provider's minimum`)
  if (searchesTooLittle(request)) warn('reasoning.effort', 'raised to low: the provider does not search with less')
  if (searchOf(request)?.filters?.blocked_domains?.length && !excludesDomains(model, host))
    warn('tools', "blocked_domains is not supported by this provider's search and was dropped")
  return warnings
}

/** Members whose absence changes what the caller gets. */
const asked: { readonly [M in ResponsesUnsupported]?: (request: UpstreamRequestBody) => boolean } = {
  max_tool_calls: request => request.max_tool_calls !== undefined,
  parallel_tool_calls: request => request.parallel_tool_calls === false && Boolean(request.tools?.length),
  reasoning: request => request.reasoning?.effort !== undefined,
  temperature: request => request.temperature !== undefined,
  top_logprobs: request => Boolean(request.top_logprobs),
  top_p: request => request.top_p !== undefined,
  truncation: request => request.truncation === 'auto',
}
