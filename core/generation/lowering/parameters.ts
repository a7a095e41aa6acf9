import { invalidRequest } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'
import type { Draft } from './draft.ts'

const leftOut = 'is not supported by this model and was left out'
/** The message of the warning about a member that could cost more than a spend cap knows. */
export const unpriced = 'was left out: its price is unknown, and this API key has a spend cap'

/** Drops parameters that the endpoint does not support, and reduces those that exceed its limits. */
export function lowerParameters({ request, endpoint, warnings }: Draft): void {
  const { capabilities, maxOutputTokens } = endpoint
  const drop = (param: 'temperature' | 'top_p' | 'logprobs' | 'top_logprobs' | 'parallel_tool_calls'): void => {
    if (request[param] === undefined) return
    delete request[param]
    warnings.push({ param, message: leftOut })
  }
  if (capabilities.temperature === false) {
    drop('temperature')
    drop('top_p')
  }
  if (capabilities.logprobs === false) {
    drop('top_logprobs')
    drop('logprobs')
  }
  if (capabilities.parallelTools === false) drop('parallel_tool_calls')
  if (capabilities.verbosity === false && request.text?.verbosity) {
    const { verbosity: _, ...text } = request.text
    request.text = text
    warnings.push({ param: 'text.verbosity', message: leftOut })
  }
  if (maxOutputTokens !== undefined && request.max_output_tokens !== undefined && request.max_output_tokens > maxOutputTokens) {
    warnings.push({ param: 'max_output_tokens', message: `${request.max_output_tokens} became ${maxOutputTokens}, this model's limit` })
    request.max_output_tokens = maxOutputTokens
  }
}

/** Vendors charge more for faster tiers, which the catalog has no prices for. So a caller whose costs have a limit gets none. */
export function lowerTier({ request, warnings }: Draft, isCapped: boolean): void {
  const { service_tier: tier } = request
  if (tier === 'auto' || tier === 'default' || tier === 'flex') return
  if (tier === 'fast') request.service_tier = 'priority'
  if (!isCapped) return
  delete request.service_tier
  warnings.push({ param: 'service_tier', message: unpriced })
}

/** Limits the output to the room that the caller's spend caps and credit leave. */
export function limitOutput({ request, warnings }: Draft, outputTokens: number): void {
  warnings.push({ param: 'max_output_tokens', message: `limited to ${outputTokens} by the spend cap` })
  request.max_output_tokens = outputTokens
}

/** docs/protocol/request.md#context-management: only models that support it, and never together with native search on reasoning models. */
export function lowerContextManagement({ request, endpoint, warnings }: Draft): void {
  if (!request.context_management?.length) return
  const { contextManagement, efforts } = endpoint.capabilities
  if (!contextManagement) {
    delete request.context_management
    warnings.push({ param: 'context_management', message: leftOut })
  } else if (efforts?.some(level => level !== 'none') && request.tools?.some(({ type }) => type === 'web_search')) {
    throw invalidRequest(
      wording`context_management cannot be combined with this reasoning model's own web search. Leave out one of the two.`,
      'context_management',
    )
  }
}
