import { efforts, type Effort } from '../../contracts/request.ts'
import type { Draft } from './draft.ts'

/** docs/protocol/request.md#reasoning: uses the closest supported level, preferring a higher one. */
export function lowerEffort({ request, endpoint, warnings }: Draft): void {
  const { budget_tokens: budget, effort } = request.reasoning ?? {}
  if (budget !== undefined && effort === undefined) request.reasoning = { ...request.reasoning, effort: effortFor(budget) }
  const asked = request.reasoning?.effort
  const supported = endpoint.capabilities.efforts
  if (!asked || !supported || supported.includes(asked)) return
  const nearest = closestEffort(asked, supported)
  const { effort: _, ...rest } = request.reasoning!
  request.reasoning = nearest ? { ...rest, effort: nearest } : rest
  warnings.push({
    param: 'reasoning.effort',
    message: nearest ? `${asked} became ${nearest}` : `${asked} was left out: this model does not reason`,
  })
}

/** The effort for which vendors with budgets document about this many tokens. */
function effortFor(budget: number): Effort {
  if (budget === 0) return 'none'
  return budget < 4096 ? 'low' : budget < 16_384 ? 'medium' : 'high'
}

export function closestEffort(asked: Effort, supported: readonly Effort[]): Effort | undefined {
  const from = efforts.indexOf(asked)
  return efforts.slice(from).find(level => supported.includes(level)) ?? efforts.slice(0, from).findLast(level => supported.includes(level))
}
