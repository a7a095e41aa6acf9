import type { FailureKind } from '../../../core/index.ts'
import { failureKindOfStatus, retiredModel } from '../../../core/kit.ts'

/** Vendors use different codes and statuses, so the wording decides first. The first match wins. */
const wordings: readonly (readonly [kind: FailureKind, wording: RegExp])[] = [
  [
    'context-length',
    /context_length_exceeded|maximum context|(?:context|prompt|input) (?:length|size|window)|(?:prompt|input) (?:is )?too long|reduce the length of|exceeds? the (?:context|maximum number of tokens)|too large for model with .* context/i,
  ],
  [
    'quota',
    /insufficient_quota|insufficient[ _-](?:balance|credit|funds)|exceeded your current quota|credit balance|payment required|not enough credits|billing_error/i,
  ],
  ['refused', /content_policy|content_filter|invalid_prompt|usage (?:guidelines|policy|policies)|moderation|flagged/i],
  [
    'auth',
    /invalid_api_key|(?:incorrect|invalid|missing|wrong) (?:x-)?api[ -_]?key|api[ -_]?key not valid|authentication_error|permission_error/i,
  ],
  ['not-found', /model_not_found|model[ _]not[ _](?:found|exist)|not a valid model|not_found_error|model `?[\w./:-]+`? does not exist/i],
  ['not-found', retiredModel],
  // Groq: the model called a tool wrongly, for which the request is not to blame.
  ['protocol', /tool_use_failed|tool call validation failed|Failed to call a function/i],
]

/** Groq: no capacity left. */
const kindsByStatus: Readonly<Record<number, FailureKind>> = { 498: 'overloaded' }

/** `words`: code, type and message. `isRetryable`: the package's opinion, used without a status. */
export function kindOf(status: number | undefined, words: string, isRetryable: unknown): FailureKind {
  const told = wordings.find(([, wording]) => wording.test(words))?.[0]
  // The message of a rate limit may mention tokens and anything else.
  if (told && (status === undefined || (status < 500 && status !== 429) || told === 'quota')) return told
  if (status !== undefined) return kindsByStatus[status] ?? failureKindOfStatus(status)
  if (/rate.?limit|too many requests/i.test(words)) return 'rate-limit'
  if (/overloaded|capacity/i.test(words)) return 'overloaded'
  if (/cannot connect/i.test(words)) return 'network'
  return isRetryable === false || /invalid_request|bad.?request/i.test(words) ? 'invalid-request' : 'unavailable'
}
