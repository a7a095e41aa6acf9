import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import type { Effort } from '../../../core/kit.ts'
import type { ModelTraits } from './models.ts'
import type { Warn } from './settings.ts'

const coarse: Readonly<Record<Exclude<Effort, 'none'>, 'low' | 'medium' | 'high'>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}

/** The caller's `reasoning` for models other than Claude. */
export function reasoningFor({ request }: ProviderCall, { reasoning }: ModelTraits, warn: Warn): JsonObject {
  const { effort, summary, generate_summary: olderSummary } = request.reasoning ?? {}
  if (reasoning === 'openai') return openaiReasoning(effort, summary ?? olderSummary)
  if (effort === undefined) return {}
  if (reasoning === 'nova') return effort === 'none' ? {} : { reasoningConfig: { type: 'enabled', maxReasoningEffort: coarse[effort] } }
  if (reasoning === 'reasoning_effort') {
    if (effort === 'none') warn('reasoning.effort', 'This model always thinks, so it uses its lowest effort.')
    return { reasoning_effort: effort === 'none' ? 'low' : coarse[effort] }
  }
  if (effort !== 'none') warn('reasoning.effort', 'This model does not support an effort.')
  return {}
}

/** OpenAI models take `reasoning` as in the Responses dialect, but without `minimal`. */
function openaiReasoning(effort: Effort | undefined, summary: string | undefined): JsonObject {
  const known = effort === 'minimal' ? 'low' : effort
  const fields = { ...(known && { effort: known }), ...(summary && { summary }) }
  return Object.keys(fields).length > 0 ? { reasoning: fields } : {}
}
