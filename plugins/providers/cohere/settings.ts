import type { ProviderCall } from '../../../core/index.ts'
import type { Effort } from '../../../core/kit.ts'
import { answerFormat, type AnswerFormat } from './answer-format.ts'
import { traitsOf, type ModelTraits } from './models.ts'
import type { ChatSettings, Thinking } from './wire.ts'

/** The settings that depend on the vendor and the model, and warnings about what was changed or dropped. */
export interface Settings {
  readonly traits: ModelTraits
  readonly format: AnswerFormat
  readonly body: ChatSettings
  readonly warnings: readonly { readonly param: string; readonly message: string }[]
}

type Warn = (param: string, message: string) => void

/** Pure, and cheap enough to call twice: for the request, and for the warnings before the reply. */
export function settingsFor(call: ProviderCall): Settings {
  const { request, endpoint } = call
  const traits = traitsOf(endpoint)
  const warnings: { param: string; message: string }[] = []
  const warn: Warn = (param, message) => void warnings.push({ param, message })
  const format = answerFormat(call)
  if (request.text?.format && format.line !== undefined && !format.enforced)
    warn('text.format', 'The prompt asks for JSON: this vendor does not enforce a format together with tools.')
  const thinking = reasoningFor(request, traits, warn)
  const { temperature, max_output_tokens: maxTokens, seed, stop = [], top_k: topK } = request
  const p = within(request, 'top_p', 0.01, 0.99)
  const frequency = penalty(request, 'frequency_penalty', warn)
  const presence = penalty(request, 'presence_penalty', warn)
  const body: ChatSettings = {
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(p !== undefined && { p }),
    ...(topK !== undefined && { k: Math.min(topK, maxK) }),
    ...(seed !== undefined && { seed }),
    ...(stop.length > 0 && { stop_sequences: stop.slice(0, maxStops) }),
    ...(frequency !== undefined && { frequency_penalty: frequency }),
    ...(presence !== undefined && { presence_penalty: presence }),
    ...(wantsLogprobs(request) && { logprobs: true }),
    ...(thinking && { thinking }),
    ...(format.enforced && { response_format: format.enforced }),
  }
  if (stop.length > maxStops) warn('stop', `Only the first ${maxStops} were sent, the most that this vendor accepts.`)
  warnOfUnsaid(request, warn)
  return { traits, format, body, warnings }
}

type Request = ProviderCall['request']

// "Chat", k and stop_sequences.
const maxK = 500
const maxStops = 5

function within(request: Request, param: 'top_p' | 'frequency_penalty' | 'presence_penalty', least: number, most: number) {
  const value = request[param]
  return value === undefined ? undefined : Math.min(Math.max(value, least), most)
}

function penalty(request: Request, param: 'frequency_penalty' | 'presence_penalty', warn: Warn): number | undefined {
  const value = within(request, param, 0, 1)
  if (value !== request[param]) warn(param, `Changed to ${value}: this vendor accepts values from 0 to 1.`)
  return value
}

function wantsLogprobs({ top_logprobs, logprobs }: Request): boolean {
  return top_logprobs !== undefined || logprobs === true
}

/** Warns about settings that the dialect does not have. */
function warnOfUnsaid({ parallel_tool_calls, top_logprobs, logit_bias }: Request, warn: Warn): void {
  if (logit_bias) warn('logit_bias', 'This vendor does not support it.')
  if (parallel_tool_calls === false) warn('parallel_tool_calls', 'This vendor does not support it.')
  if (top_logprobs) warn('top_logprobs', 'This vendor returns log probabilities only for the chosen tokens.')
}

/** Thoughts count toward the output limit. This share leaves room for the answer. */
const shareForThoughts = 0.8

/** Without a budget, the model thinks as much as it likes. */
const budgets: Partial<Record<Effort, number>> = { minimal: 1024, low: 2048, medium: 8192 }

function reasoningFor({ reasoning, max_output_tokens: limit }: Request, traits: ModelTraits, warn: Warn): Thinking | undefined {
  const effort = reasoning?.effort
  if (effort === undefined) return undefined
  if (!traits.thinking) {
    if (effort !== 'none') warn('reasoning.effort', 'This model does not think before it answers.')
    return undefined
  }
  if (effort === 'none') return { type: 'disabled' }
  const room = limit === undefined ? Infinity : Math.max(1, Math.floor(limit * shareForThoughts))
  const budget = Math.min(reasoning?.budget_tokens ?? budgets[effort] ?? Infinity, room)
  return budget === Infinity ? { type: 'enabled' } : { type: 'enabled', token_budget: budget }
}
