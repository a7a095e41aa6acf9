import type { Item, ProviderCall } from '../../core/index.ts'
import type { Effort } from '../../core/kit.ts'
import { exactOf, type Exact } from './own-dialect.ts'
import { thinkingBlock } from './reasoning-state.ts'
import type { Warn } from './settings.ts'
import type { MessagesTraits } from './traits.ts'
import type { EffortLevel, Thinking } from './wire.ts'

/** Shares of the output limit, so that there is room for an answer after the thoughts. */
const budgetShares: Record<Exclude<Effort, 'none'>, number> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.9 }
const smallestBudget = 1024
const maxBudget = 32_000

const ladder = ['low', 'medium', 'high', 'xhigh', 'max'] as const

const noThoughtBeforeForcedCall = 'This model does not think before a forced tool call.'

/** The caller's `reasoning` in the form that the model accepts. */
export function reasoningFor(
  { request, endpoint }: ProviderCall,
  traits: MessagesTraits,
  maxTokens: number,
  forced: boolean,
  warn: Warn,
): { thinking?: Thinking; effort?: EffortLevel } {
  const exact = exactOf(request)
  const asked = exact && askedFor(exact, { request, endpoint }, traits, maxTokens, forced, warn)
  if (asked) return asked
  const effort = request.reasoning?.effort
  const known = endpoint.capabilities.efforts
  const summary = request.reasoning?.summary ?? request.reasoning?.generate_summary
  if (effort === 'none') {
    if (!traits.thinksUnasked) return {}
    if (traits.thinkingOff) return { thinking: { type: traits.thinkingOff } }
    warn('reasoning.effort', 'This model always thinks, so it uses its lowest effort.')
    return { effort: 'low' }
  }
  if (effort === undefined) {
    // Models that think unasked do not show their thoughts unless the request asks for a summary.
    return summary && traits.thinksUnasked && !forced ? { thinking: { type: 'adaptive', display: 'summarized' } } : {}
  }
  if (traits.thinking === 'none' || known?.every(level => level === 'none')) {
    warn('reasoning.effort', 'This model does not think before it answers.')
    return {}
  }
  if (traits.thinking === 'adaptive') {
    const level = closestLevel(effort, levelsOf(endpoint, traits))
    // Requested thinking and a forced tool call exclude each other ("Extended thinking with tool use").
    if (forced) {
      if (!traits.thinksUnasked) warn('reasoning.effort', noThoughtBeforeForcedCall)
      return { ...(level && { effort: level }) }
    }
    return { thinking: { type: 'adaptive', display: 'summarized' }, ...(level && { effort: level }) }
  }
  if (forced) {
    warn('reasoning.effort', noThoughtBeforeForcedCall)
    return {}
  }
  if (continuesWithoutThoughts(request.input)) {
    warn('reasoning.effort', 'This model made the previous tool calls without thinking, so it continues without.')
    return {}
  }
  const { budget_tokens: wanted = Math.min(Math.floor(maxTokens * budgetShares[effort]), maxBudget) } = request.reasoning!
  const affordable = Math.floor(maxTokens * budgetShares.max)
  if (affordable >= smallestBudget) {
    const budget = Math.max(smallestBudget, Math.min(wanted, maxTokens - 1))
    return { thinking: { type: 'enabled', budget_tokens: budget } }
  }
  warn('reasoning.effort', `max_output_tokens of ${maxTokens} leaves no room to think.`)
  return {}
}

function levelsOf({ capabilities: { efforts: known } }: ProviderCall['endpoint'], traits: MessagesTraits): readonly EffortLevel[] {
  return known ? ladder.filter(step => known.includes(step)) : traits.efforts
}

/** What a caller of this dialect has asked for. Undefined if this model does not take it in these words. */
function askedFor(
  { thinking, output_config: output, betas }: Exact,
  { request: { input }, endpoint }: Pick<ProviderCall, 'request' | 'endpoint'>,
  traits: MessagesTraits,
  maxTokens: number,
  forced: boolean,
  warn: Warn,
): { thinking?: Thinking; effort?: EffortLevel } | undefined {
  const wanted = (output?.effort ?? 'none') as Effort
  const level = wanted === 'none' ? undefined : closestLevel(wanted, levelsOf(endpoint, traits))
  if (wanted !== 'none' && !level) warn('output_config.effort', 'This model has no setting for its effort.')
  const effort = level && { effort: level }
  if (!thinking) return { ...effort }
  if (!takes(thinking, traits)) return undefined
  const isOn = thinking.type !== 'disabled'
  if (isOn && forced) {
    warn('thinking', noThoughtBeforeForcedCall)
    return { ...effort }
  }
  if (thinking.type !== 'enabled') return { thinking, ...effort }
  if (continuesWithoutThoughts(input)) {
    warn('thinking', 'This model made the previous tool calls without thinking, so it continues without.')
    return { ...effort }
  }
  // Thoughts between tools may take more than one answer.
  const { budget_tokens: budget = 0 } = thinking
  if (budget < maxTokens || betas?.some(name => name.startsWith('interleaved-thinking'))) return { thinking, ...effort }
  if (maxTokens > smallestBudget) return { thinking: { ...thinking, budget_tokens: maxTokens - 1 }, ...effort }
  warn('thinking', `max_tokens of ${maxTokens} leaves no room to think.`)
  return { ...effort }
}

/** True if the model takes this form of `thinking`. */
function takes({ type }: NonNullable<Exact['thinking']>, { thinking, thinksUnasked, thinkingOff, sampling }: MessagesTraits): boolean {
  switch (type) {
    case 'enabled':
      // Models between the two forms take both.
      return thinking === 'budget' || (thinking === 'adaptive' && sampling !== 'none')
    case 'adaptive':
      return thinking === 'adaptive'
    case 'disabled':
      return thinksUnasked ? thinkingOff === 'disabled' : thinking !== 'none'
    case 'between_tools':
      return thinkingOff === 'between_tools'
    default:
      return thinking !== 'none'
  }
}

/** docs/protocol/request.md#reasoning: moved up and then down to the closest supported level. */
function closestLevel(effort: Exclude<Effort, 'none'>, levels: readonly EffortLevel[]): EffortLevel | undefined {
  const wish = effort === 'minimal' ? 0 : ladder.indexOf(effort)
  return ladder.slice(wish).find(level => levels.includes(level)) ?? ladder.slice(0, wish).findLast(level => levels.includes(level))
}

/** With a budget, the vendor rejects a tool loop whose assistant turn does not start with its thoughts. */
function continuesWithoutThoughts(input: readonly Item[]): boolean {
  const call = input.findLastIndex(item => item.type === 'function_call')
  const answered = input.slice(call + 1).some(item => item.type === 'message' && item.role === 'assistant')
  if (call < 0 || answered) return false
  const asked = input.slice(0, call).findLastIndex(item => item.type === 'message' && item.role !== 'assistant')
  const first = input.slice(asked + 1).find(item => item.type !== 'reasoning' || thinkingBlock(item.encrypted_content))
  return first?.type !== 'reasoning'
}
