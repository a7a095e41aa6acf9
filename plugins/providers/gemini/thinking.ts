import type { ProviderCall } from '../../../core/index.ts'
import type { Effort } from '../../../core/kit.ts'
import type { ModelTraits } from './models.ts'
import type { ThinkingConfig, ThinkingLevel } from './wire.ts'

export type Warn = (param: string, message: string) => void

/** The vendor's equivalents ("OpenAI compatibility", thinking). Higher efforts get the model's maximum. */
const budgets: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: Infinity,
  max: Infinity,
}

/** Thoughts count toward the output limit. This share leaves room for the answer. */
const shareForThoughts = 0.8

const ladder = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] as const
const levels: Record<Effort, ThinkingLevel> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}

/** The caller's `reasoning` in the form that the model accepts. */
export function reasoningFor({ request }: ProviderCall, traits: ModelTraits, warn: Warn): ThinkingConfig | undefined {
  const effort = request.reasoning?.effort
  const summary = request.reasoning?.summary ?? request.reasoning?.generate_summary
  if (effort === undefined && summary === undefined) return undefined
  if (traits.thinking === 'none') {
    if (effort !== undefined && effort !== 'none') warn('reasoning.effort', 'This model has no setting for how much to think.')
    return undefined
  }
  const amount =
    effort === undefined ? {} : traits.thinking === 'level' ? level(effort, traits, warn) : budget(effort, request, traits, warn)
  return { ...amount, ...((effort !== 'none' || summary !== undefined) && { includeThoughts: true }) }
}

function level(effort: Effort, { levels: known }: ModelTraits, warn: Warn): ThinkingConfig {
  const wish = ladder.indexOf(levels[effort])
  // docs/protocol/request.md#reasoning: moved up and then down to the closest supported level.
  const thinkingLevel = ladder.slice(wish).find(each => known.includes(each)) ?? known.at(-1)!
  if (effort === 'none') warn('reasoning.effort', 'This model always thinks, so it uses its lowest level.')
  return { thinkingLevel }
}

function budget(
  effort: Effort,
  { max_output_tokens: limit, reasoning }: ProviderCall['request'],
  traits: ModelTraits,
  warn: Warn,
): ThinkingConfig {
  const { least, most, off } = traits.budget
  if (effort === 'none') {
    if (off) return { thinkingBudget: 0 }
    warn('reasoning.effort', 'This model always thinks, so it uses its smallest budget.')
    return { thinkingBudget: least }
  }
  const room = limit === undefined ? Infinity : Math.floor(limit * shareForThoughts)
  return { thinkingBudget: Math.max(least, Math.min(reasoning?.budget_tokens ?? budgets[effort], most, room)) }
}
