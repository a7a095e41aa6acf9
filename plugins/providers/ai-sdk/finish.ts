import { ProviderFailure, type FinishReason } from '../../../core/index.ts'
import type { GenerateResult } from './specification.ts'

/** Undefined where the vendor gave no reason: packages end what was cut short like everything else. */
export function finishFrom(reason: GenerateResult['finishReason']): FinishReason | undefined {
  const isFlat = typeof reason === 'string'
  const unified = isFlat ? reason : reason.unified
  switch (unified) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'tool-calls':
      return unified
    case 'error':
      throw new ProviderFailure({ kind: 'unavailable', message: 'The provider broke its answer off with an error.' })
    case 'other':
      return isFlat || reason.raw !== undefined ? 'stop' : undefined
    default:
      return undefined
  }
}
