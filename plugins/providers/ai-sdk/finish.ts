import { ProviderFailure, type FinishReason } from '../../../core/index.ts'
import type { GenerateResult } from './specification.ts'

/**
 * The vendor's finish reason, if there is one: packages end a cut reply like any other. An empty answer without a reason has none, either.
 */
export function finishReasonOf(reason: GenerateResult['finishReason'], hasSaid: boolean): FinishReason | undefined {
  const isFlat = typeof reason === 'string'
  const unified = isFlat ? reason : reason.unified
  switch (unified) {
    case 'stop':
      return isFlat || hasSaid || reason.raw !== undefined ? 'stop' : undefined
    case 'length':
    case 'content-filter':
    case 'tool-calls':
      return unified
    case 'error':
      throw new ProviderFailure({ kind: 'unavailable', message: 'The provider ended its answer with an error.' })
    case 'other':
      return isFlat || reason.raw !== undefined ? 'stop' : undefined
    default:
      return undefined
  }
}
