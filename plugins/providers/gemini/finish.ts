import { ProviderFailure, type FinishReason } from '../../../core/index.ts'

/** How a candidate ended: a finish reason, or a failure. */
export type Ending = FinishReason | { readonly failure: ProviderFailure }

/** "Candidate", FinishReason. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  MODEL_ARMOR: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
}

/** The model produced an invalid answer, which is not the request's fault. */
const malformed = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
])

/** The vendor does not say why there is no answer. */
const unexplained = new Set(['FINISH_REASON_UNSPECIFIED', 'OTHER', 'IMAGE_OTHER', 'NO_IMAGE'])

/** The values of `enum-encoding=int` that are the same in both of the vendor's APIs. */
const numbered = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION']

export function reasonName(reason: string | number): string {
  return typeof reason === 'number' ? (numbered[reason] ?? 'OTHER') : reason
}

export function endingOf(reason: string | number, message: string | undefined): Ending {
  const name = reasonName(reason)
  if (malformed.has(name) || unexplained.has(name))
    return {
      failure: new ProviderFailure({
        kind: malformed.has(name) ? 'protocol' : 'unavailable',
        message: message ?? `The model returned no answer (${name}).`,
        upstream: JSON.stringify({ finishReason: reason, finishMessage: message }),
      }),
    }
  return finishReasons[name] ?? 'stop'
}

/** "PromptFeedback", BlockReason: the vendor refused the prompt, so there is no candidate. */
export function blocked(reason: string | number, message: string | undefined, upstream: string): ProviderFailure {
  return new ProviderFailure({ kind: 'refused', message: message ?? `The provider blocked the prompt (${reason}).`, upstream })
}
