import {
  failureKindOfStatus,
  isImageErrorCode,
  parseJson,
  ProviderFailure,
  retiredModel,
  retryAfterMs,
  type FailureKind,
  type UpstreamHeaders,
} from '../../../core/index.ts'
import { detailsOf, type ErrorDetails } from './error-details.ts'

/** A reply of status 400 and above. */
export function failureFrom(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  return classified(detailsOf(parseJson(body) ?? body, status), body, retryAfterMs(headers))
}

/** An error inside a reply that began as a 200. */
export function failureInside(error: unknown, upstream: string): ProviderFailure {
  return classified(detailsOf(error, undefined), upstream, undefined)
}

function classified(details: ErrorDetails, upstream: string, retryAfterMs: number | undefined): ProviderFailure {
  const kind = kindOf(details)
  return new ProviderFailure({
    kind,
    message: kind === 'auth' ? withoutKeys(details.message) : details.message,
    code: isImageErrorCode(details.code) ? details.code : undefined,
    status: details.status,
    retryAfterMs,
    upstream: kind === 'auth' ? withoutKeys(upstream) : upstream,
  })
}

/** Vendors agree neither on codes nor on statuses, so their words decide first. The first match wins. */
const wordings: readonly (readonly [kind: FailureKind, wording: RegExp])[] = [
  [
    'context-length',
    /context_length_exceeded|exceed_context_size|too_many_prompt_tokens|string_above_max_length|maximum context length|max(?:imum)? (?:context|model|prompt|input|sequence) (?:length|size|len)|context (?:length|window|size)|prompt (?:is )?too long|too large for model with .* context|reduce the length of (?:the|your|either)|input (?:is )?too long|exceeds? the (?:available )?context|exceeds? the maximum number of tokens|max_new_tokens\W+must be <=/i,
  ],
  [
    'quota',
    /insufficient_quota|insufficient[ _-](?:quota|balance|credit|funds)|billing[ _](?:hard[ _])?limit|exceeded your current quota|credit balance|payment required|not enough credits|(?:spending|credit)s? limit/i,
  ],
  [
    'refused',
    /content_policy|content_filter|ResponsibleAIPolicy|invalid_prompt|bio_policy|usage (?:guidelines|policy|policies)|content management policy|moderation|flagged|guardrail/i,
  ],
  // xAI answers a wrong key with a 400.
  [
    'auth',
    /invalid_api_key|(?:incorrect|invalid|missing|no|wrong) (?:x-)?api[ -_]?key|api[ -_]?key (?:is |not )?(?:invalid|valid|missing|found|expired)|authentication[ _](?:error|fails)/i,
  ],
  [
    'not-found',
    /model_not_found|model[ _]not[ _](?:found|exist)|not a valid model|DeploymentNotFound|supported API model names|(?:invalid|unknown) model\b|model `?[\w./:-]+`? (?:does not exist|not found)/i,
  ],
  ['not-found', retiredModel],
  // Groq: the model called a tool wrongly, for which the request is not to blame.
  ['protocol', /tool_use_failed/],
]

/** Groq: no capacity left. */
const statusKinds: Readonly<Record<number, FailureKind>> = { 498: 'overloaded' }

function kindOf({ status, code, type, message }: ErrorDetails): FailureKind {
  const words = `${code ?? ''} ${type ?? ''} ${message}`
  // A rate limit may speak of tokens, of quota and of anything else.
  if (status !== 429 || quotaWording.test(words)) {
    const wording = status === undefined || status < 500 ? wordings.find(([, pattern]) => pattern.test(words)) : undefined
    if (wording) return wording[0]
  }
  if (status === 413 && /rate_limit/.test(words)) return 'rate-limit'
  if (status === undefined) return kindWithoutStatus(words)
  return statusKinds[status] ?? failureKindOfStatus(status)
}

const quotaWording = wordings.find(([kind]) => kind === 'quota')![1]

function kindWithoutStatus(words: string): FailureKind {
  if (/rate.?limit|too many requests/i.test(words)) return 'rate-limit'
  if (/overloaded|capacity|server.?busy/i.test(words)) return 'overloaded'
  return /invalid_request|bad.?request/i.test(words) ? 'invalid-request' : 'unavailable'
}

/** Some vendors repeat the key that they refuse. */
function withoutKeys(text: string): string {
  return text.replace(/(\bkey(?: provided)?:\s*)[^\s"\\,]+/gi, '$1[…]')
}
