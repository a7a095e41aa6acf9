import { ProviderFailure, type FinishReason } from '../../../core/index.ts'
import { failureInside } from './failure.ts'
import type { WireEnd } from './wire-reply.ts'

/** "Chat", finish_reason. The `ERROR_…` values come from the older API version. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  ERROR_LIMIT: 'length',
  TOOL_CALL: 'tool-calls',
  ERROR_TOXIC: 'content-filter',
}

/** Why the model stopped. Throws if it was interrupted. */
export function finishReasonOf(end: WireEnd, calls: number): FinishReason {
  const reason = end.finish_reason ?? ''
  if (reason === 'ERROR') throw failureInside(end)
  if (reason === 'TIMEOUT' || reason === 'USER_CANCEL')
    throw new ProviderFailure({
      kind: reason === 'TIMEOUT' ? 'timeout' : 'unavailable',
      message: end.error ?? `The provider broke off its reply (${reason}).`,
      upstream: JSON.stringify(end),
    })
  const finish = finishReasons[reason] ?? 'stop'
  return finish === 'stop' && calls > 0 ? 'tool-calls' : finish
}
