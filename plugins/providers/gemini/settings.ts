import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import type { WebSearchTool } from '../../../core/kit.ts'
import { answerFormat, type AnswerFormat } from './answer-format.ts'
import { traitsOf, type ModelTraits } from './models.ts'
import { exactOf } from './own-dialect.ts'
import { reasoningFor, type Warn } from './thinking.ts'
import { offeredTools } from './tools.ts'
import type { GenerationConfig } from './wire.ts'

/** The settings that depend on the model, and warnings about what was changed or dropped. */
export interface Settings {
  readonly traits: ModelTraits
  readonly format: AnswerFormat
  readonly config: GenerationConfig | JsonObject
  readonly warnings: readonly { readonly param: string; readonly message: string }[]
}

/** Pure, and cheap enough to call twice: for the request, and for the warnings before the reply. */
export function settingsFor(call: ProviderCall): Settings {
  const { request, endpoint } = call
  const traits = traitsOf(endpoint)
  const warnings: { param: string; message: string }[] = []
  const warn: Warn = (param, message) => void warnings.push({ param, message })
  const { functions, search } = offeredTools(request)
  const format = answerFormat(request, traits, functions.length > 0 || search)
  if (format.line !== undefined) warn('text.format', 'The prompt asks for JSON: this vendor does not enforce the format here.')
  if (functions.length > 0 && !search && request.tools?.some(({ type }) => type === 'web_search'))
    warn('tools', "This vendor's web search cannot be combined with function tools and was left out.")
  const exact = exactOf(request)
  const thinkingConfig = takesExactly(traits, exact?.thinkingConfig) ? exact?.thinkingConfig : reasoningFor(call, traits, warn)
  warnOfUnsaid(request, search, warn)
  const { temperature, top_p: topP, top_k, max_output_tokens, presence_penalty, frequency_penalty, top_logprobs, seed, stop } = request
  const logprobs = top_logprobs !== undefined || request.logprobs
  const config: GenerationConfig | JsonObject = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(presence_penalty !== undefined && { presencePenalty: presence_penalty }),
    ...(frequency_penalty !== undefined && { frequencyPenalty: frequency_penalty }),
    ...(top_k !== undefined && { topK: top_k }),
    ...(seed !== undefined && { seed }),
    ...(stop?.length && { stopSequences: stop.slice(0, maxStops) }),
    ...(logprobs && { responseLogprobs: true, ...(top_logprobs && { logprobs: top_logprobs }) }),
    ...(format.enforced && (exact?.format ?? format.enforced)),
    ...(thinkingConfig && { thinkingConfig }),
  }
  return { traits, format, config, warnings }
}

/** Models with levels take budgets, too, but not the other way round. */
function takesExactly({ thinking }: ModelTraits, said: { readonly thinkingLevel?: string } | undefined): boolean {
  return said !== undefined && (thinking === 'level' || (thinking === 'budget' && said.thinkingLevel === undefined))
}

/** "GenerationConfig", stopSequences. */
const maxStops = 5

/** Warns about settings that the dialect does not have. */
function warnOfUnsaid(
  { text, tools, parallel_tool_calls, context_management, logit_bias, stop = [] }: ProviderCall['request'],
  search: boolean,
  warn: Warn,
): void {
  const nothing = 'This vendor does not support it.'
  if (text?.verbosity && text.verbosity !== 'medium') warn('text.verbosity', nothing)
  if (parallel_tool_calls === false) warn('parallel_tool_calls', nothing)
  if (context_management?.length) warn('context_management', nothing)
  if (logit_bias) warn('logit_bias', nothing)
  if (stop.length > maxStops) warn('stop', `Only the first ${maxStops} were sent, the most that this vendor accepts.`)
  const told = search && (tools?.find(({ type }) => type === 'web_search') as WebSearchTool | undefined)
  if (told && (told.search_context_size !== undefined || told.filters !== undefined || told.user_location !== undefined))
    warn('tools', "This vendor's web search does not support search_context_size, filters or user_location.")
}
