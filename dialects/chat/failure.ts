import type { FailureKind } from '../../core/index.ts'
import { failureKindOfStatus, failureReader, firstMatch, retiredModel, type Patterns } from '../../core/kit.ts'
import { withoutKeys } from '../host/without-keys.ts'
import { errorDetails, type ErrorDetails } from './error-details.ts'

export const { failureFrom, failureInside } = failureReader({ errorIn: errorDetails, kindOf, withoutKeys })

/** Vendors use different codes and statuses, so the wording decides first. The first match wins. */
const wordings: Patterns<FailureKind> = [
  [
    /context_length_exceeded|exceed_context_size|too_many_prompt_tokens|string_above_max_length|maximum context length|max(?:imum)? (?:context|model|prompt|input|sequence) (?:length|size|len)|context (?:length|window|size)|prompt (?:is )?too long|too large for model with .* context|reduce the length of (?:the|your|either)|input (?:is )?too long|exceeds? the (?:available )?context|exceeds? the maximum number of tokens|max_new_tokens\W+must be <=/i,
    'context-length',
  ],
  [
    /insufficient_quota|insufficient[ _-](?:quota|balance|credit|funds)|billing[ _](?:hard[ _])?limit|exceeded your current quota|credit balance|payment required|not enough credits|(?:spending|credit)s? limit/i,
    'quota',
  ],
  [
    /content_policy|content_filter|ResponsibleAIPolicy|invalid_prompt|bio_policy|usage (?:guidelines|policy|policies)|content management policy|moderation|flagged|guardrail/i,
    'refused',
  ],
  // xAI sends a 400 for a wrong key.
  [
    /invalid_api_key|(?:incorrect|invalid|missing|no|wrong) (?:x-)?api[ -_]?key|api[ -_]?key (?:is |not )?(?:invalid|valid|missing|found|expired)|authentication[ _](?:error|fails)/i,
    'auth',
  ],
  [
    /model_not_found|model[ _]not[ _](?:found|exist)|not a valid model|DeploymentNotFound|supported API model names|(?:invalid|unknown) model\b|model `?[\w./:-]+`? (?:does not exist|not found)/i,
    'not-found',
  ],
  [retiredModel, 'not-found'],
  // Groq: the model called a tool wrongly, for which the request is not to blame.
  [/tool_use_failed/, 'protocol'],
]

function kindOf({ code, type, message = '' }: ErrorDetails, status: number | undefined): FailureKind {
  const words = `${code ?? ''} ${type ?? ''} ${message}`
  // The message of a rate limit may mention tokens, quota and anything else.
  if (status !== 429 || quotaWording.test(words)) {
    const byWording = status === undefined || status < 500 ? firstMatch(wordings, words) : undefined
    if (byWording) return byWording
  }
  if (status === undefined) return kindWithoutStatus(words)
  return failureKindOfStatus(status)
}

const quotaWording = wordings.find(([, kind]) => kind === 'quota')![0]

function kindWithoutStatus(words: string): FailureKind {
  if (/rate.?limit|too many requests/i.test(words)) return 'rate-limit'
  if (/overloaded|capacity|server.?busy/i.test(words)) return 'overloaded'
  return /invalid_request|bad.?request/i.test(words) ? 'invalid-request' : 'unavailable'
}
