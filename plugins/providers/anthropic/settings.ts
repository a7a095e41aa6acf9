import type { Effort, Item, ProviderCall } from '../../../core/index.ts'
import { answerFormat, type AnswerFormat } from './answer-format.ts'
import { traitsOf, type ModelTraits } from './models.ts'
import { thinkingBlock } from './reasoning-state.ts'
import type { EffortLevel, Thinking } from './wire.ts'

/** The parts of a request on which the model has a say, and what had to give way. */
export interface Settings {
  readonly traits: ModelTraits
  readonly maxTokens: number
  readonly thinking?: Thinking | undefined
  readonly effort?: EffortLevel | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly format: AnswerFormat
  readonly warnings: readonly { readonly param: string; readonly message: string }[]
}

/** Shares of the output limit, so that an answer still fits behind the thoughts. */
const budgetShares: Record<Exclude<Effort, 'none'>, number> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.9 }
const smallestBudget = 1024
const largestBudget = 32_000

const ladder = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** Pure, and cheap enough to be asked twice: for the request, and for the warnings that precede the reply. */
export function settingsFor(call: ProviderCall, defaultMaxTokens?: number): Settings {
  const { request, endpoint } = call
  const traits = traitsOf(endpoint)
  const warnings: { param: string; message: string }[] = []
  const warn: Warn = (param, message) => void warnings.push({ param, message })

  const ceiling = endpoint.maxOutputTokens
  const wanted = request.max_output_tokens ?? ceiling ?? defaultMaxTokens ?? traits.maxTokens
  const maxTokens = ceiling === undefined ? wanted : Math.min(wanted, ceiling)
  if (maxTokens < wanted) warn('max_output_tokens', `Lowered to ${maxTokens}, the most that this model can write.`)

  const forced = forcesTool(request.tool_choice)
  if (forced && !traits.forcedTools) warn('tool_choice', 'This model cannot be made to call a tool; it was left to decide.')
  const { thinking, effort } = reasoningFor(call, traits, maxTokens, forced && traits.forcedTools, warn)
  const thinks = thinking?.type === 'enabled' || thinking?.type === 'adaptive'
  const sampling = samplingFor(call, traits, thinks, warn)
  const format = answerFormat(call, traits)
  if (format.line !== undefined) warn('text.format', 'JSON was asked for in words; the vendor does not enforce it.')
  warnOfUnsaid(request, warn)
  return { traits, maxTokens, thinking, effort, ...sampling, format, warnings }
}

type Warn = (param: string, message: string) => void

/** What the dialect has no word for. */
function warnOfUnsaid(request: ProviderCall['request'], warn: Warn): void {
  const unsaid = {
    top_logprobs: request.top_logprobs,
    presence_penalty: request.presence_penalty,
    frequency_penalty: request.frequency_penalty,
    'text.verbosity': request.text?.verbosity === 'medium' ? undefined : request.text?.verbosity,
    context_management: request.context_management?.length,
  }
  for (const [param, value] of Object.entries(unsaid)) if (value) warn(param, 'This vendor has nothing like it.')
}

function reasoningFor(
  { request, endpoint }: ProviderCall,
  traits: ModelTraits,
  maxTokens: number,
  forced: boolean,
  warn: Warn,
): { thinking?: Thinking; effort?: EffortLevel } {
  const effort = request.reasoning?.effort
  const known = endpoint.capabilities.efforts
  const summary = request.reasoning?.summary ?? request.reasoning?.generate_summary
  if (effort === 'none') {
    if (!traits.thinksUnasked) return {}
    if (traits.thinkingOff) return { thinking: { type: traits.thinkingOff } }
    warn('reasoning.effort', 'This model always thinks; its lowest effort was asked for.')
    return { effort: 'low' }
  }
  if (effort === undefined) {
    // Models that think unasked keep their thoughts to themselves unless a summary is asked for.
    return summary && traits.thinksUnasked && !forced ? { thinking: { type: 'adaptive', display: 'summarized' } } : {}
  }
  if (traits.thinking === 'none' || known?.every(level => level === 'none')) {
    warn('reasoning.effort', 'This model does not think before it answers.')
    return {}
  }
  if (traits.thinking === 'adaptive') {
    const level = closestLevel(effort, known ? ladder.filter(step => known.includes(step)) : traits.efforts)
    // Thinking that is asked for excludes a forced tool call ("Extended thinking with tool use").
    if (forced) return { ...(level && { effort: level }) }
    return { thinking: { type: 'adaptive', display: 'summarized' }, ...(level && { effort: level }) }
  }
  if (forced) {
    warn('reasoning.effort', 'This model cannot think before a tool call that it is made to make.')
    return {}
  }
  if (continuesWithoutThoughts(request.input)) {
    warn('reasoning.effort', 'The tool calls to be continued were made without thinking by this model.')
    return {}
  }
  const budget = Math.min(Math.floor(maxTokens * budgetShares[effort]), largestBudget)
  const affordable = Math.floor(maxTokens * budgetShares.max)
  if (affordable >= smallestBudget) return { thinking: { type: 'enabled', budget_tokens: Math.max(budget, smallestBudget) } }
  warn('reasoning.effort', `max_output_tokens of ${maxTokens} leave no room to think.`)
  return {}
}

/** spec: reasoning.effort: moved up and then down to the closest supported level. */
function closestLevel(effort: Exclude<Effort, 'none'>, levels: readonly EffortLevel[]): EffortLevel | undefined {
  const wish = effort === 'minimal' ? 0 : ladder.indexOf(effort)
  return ladder.slice(wish).find(level => levels.includes(level)) ?? ladder.slice(0, wish).findLast(level => levels.includes(level))
}

/** With a budget, the vendor refuses to continue a tool loop whose assistant turn does not start with its thoughts. */
function continuesWithoutThoughts(input: readonly Item[]): boolean {
  const call = input.findLastIndex(item => item.type === 'function_call' || item.type === 'custom_tool_call')
  const answered = input.slice(call + 1).some(item => item.type === 'message' && item.role === 'assistant')
  if (call < 0 || answered) return false
  const asked = input.slice(0, call).findLastIndex(item => item.type === 'message' && item.role !== 'assistant')
  const first = input.slice(asked + 1).find(item => item.type !== 'reasoning' || thinkingBlock(item.encrypted_content))
  return first?.type !== 'reasoning'
}

function samplingFor({ request }: ProviderCall, traits: ModelTraits, thinks: boolean, warn: Warn): { temperature?: number; topP?: number } {
  const { temperature, top_p: topP } = request
  const drop = (reason: string): object => {
    if (temperature !== undefined && temperature !== 1) warn('temperature', reason)
    if (topP !== undefined && topP !== 1) warn('top_p', reason)
    return {}
  }
  if (traits.sampling === 'none') return drop('This model has no sampling parameters.')
  // "Extended thinking", feature compatibility: no other temperature than 1, and top_p from 0.95.
  if (thinks) return topP !== undefined && topP >= 0.95 && topP < 1 ? { topP } : drop('Not available while the model thinks.')
  if (temperature === undefined) return topP === undefined ? {} : { topP }
  if (temperature > 1) warn('temperature', 'Lowered to 1, the highest value of this vendor.')
  const lowered = Math.min(temperature, 1)
  if (traits.sampling === 'both' && topP !== undefined) return { temperature: lowered, topP }
  if (topP !== undefined && topP !== 1) warn('top_p', 'This model takes either temperature or top_p.')
  return { temperature: lowered }
}

export function forcesTool(choice: unknown): boolean {
  if (choice === 'required') return true
  if (typeof choice !== 'object' || choice === null) return false
  const { type, mode } = choice as { type?: unknown; mode?: unknown }
  return type === 'function' || type === 'custom' || (type === 'allowed_tools' && mode === 'required')
}
