import type { GenerationRequest } from '../../../core/index.ts'
import type { RequestBody } from './request-body.ts'

/** The effort of a model that decides how much it thinks, for models that have to be told. */
const adaptiveEffort = 'medium'

/** `thinking` and `output_config.effort` in neutral words. */
export function reasoningSettings({ thinking, output_config: output }: RequestBody): GenerationRequest['reasoning'] {
  const effort = output?.effort ?? undefined
  switch (thinking?.type) {
    case 'disabled':
      return { effort: 'none' }
    case 'enabled':
      return {
        ...(effort && { effort }),
        ...(thinking.budget_tokens ? { budget_tokens: thinking.budget_tokens } : !effort && { effort: adaptiveEffort }),
        ...summary(thinking.display),
      }
    case 'adaptive':
    case 'between_tools':
      return { effort: effort ?? adaptiveEffort, ...summary(thinking.display) }
    default:
      return effort && { effort }
  }
}

function summary(display: 'summarized' | 'omitted' | null | undefined): { summary?: 'auto' } {
  return display === 'omitted' ? {} : { summary: 'auto' }
}
