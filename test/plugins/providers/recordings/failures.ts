import { isImageErrorCode } from '../../../../core/kit.ts'
import type { ErrorReading, Reading } from '../oracle/reading.ts'

/** A vendor's failure as the gateway reports it: the provider's failure kind, and the caller's error. */
export interface ExpectedFailure {
  readonly kind: string
  readonly status: number
  readonly code: string
  /** The vendor's sentence may speak of the gateway's own account. */
  readonly private: boolean
}

const forms = {
  'invalid-request': { status: 400, code: 'invalid_value', private: false },
  'not-found': { status: 400, code: 'model_not_found', private: false },
  'context-length': { status: 400, code: 'context_length_exceeded', private: false },
  refused: { status: 400, code: 'invalid_prompt', private: false },
  'rate-limit': { status: 429, code: 'rate_limit_exceeded', private: false },
  auth: { status: 424, code: 'provider_error', private: true },
  quota: { status: 424, code: 'provider_error', private: true },
  unavailable: { status: 424, code: 'provider_error', private: false },
  protocol: { status: 424, code: 'provider_error', private: false },
} as const

// By the vendors' documents: the words of an error say more than its status. The first match wins.
const wordings: readonly (readonly [kind: keyof typeof forms, words: RegExp])[] = [
  [
    'context-length',
    /context_length_exceeded|exceed_context_size|too_many_prompt_tokens|prompt (is )?too long|max(imum)? context length|too many tokens|input tokens exceeded|reduce the length of the (messages|prompt)/i,
  ],
  // Google says the same sentence of every quota; its name tells that waiting helps.
  ['rate-limit', /PerMinute/],
  ['quota', /insufficient_quota|credit balance|exceeded your current quota|insufficient balance/i],
  ['refused', /violates usage guidelines|"blockReason"/i],
  // xAI and Google answer a wrong key with a 400.
  ['auth', /invalid_api_key|API_KEY_INVALID|(incorrect|invalid|no) api key|authentication_error/i],
  [
    'not-found',
    /model_not_found|supported API model names|is not a valid model|DeploymentNotFound|on-demand throughput isn|not_found_error/i,
  ],
  // Groq and Google: the model called a tool wrongly, for which the request is not to blame. An image alone cannot be passed on.
  ['protocol', /tool_use_failed|INVALID_TOOL_GENERATION|MALFORMED_FUNCTION_CALL|MEDIA_ALONE/],
]

/** The failure that this error must become. */
export function expectedFailure({ status, code, body }: ErrorReading): ExpectedFailure {
  // OpenRouter puts the status that it would have answered with into the code.
  const meant = status ?? (Number(code) >= 400 ? Number(code) : null)
  const kind = wordings.find(([, words]) => words.test(body))?.[0] ?? kindOf(meant, body)
  const form = forms[kind]
  // The vendor's own code is passed on only for problems with an image.
  return { kind, ...form, code: form.status === 400 && isImageErrorCode(code) ? code : form.code }
}

/** A reply that says nothing, not even why it stopped, is no success. */
export function lacksEnd({ error, finish }: Reading): boolean {
  return error === null && finish === null
}

export const cutShort: ExpectedFailure = { kind: 'protocol', ...forms.protocol }

function kindOf(status: number | null, body: string): keyof typeof forms {
  if (status === null) return /invalid_request/.test(body) ? 'invalid-request' : 'unavailable'
  if (status === 401 || status === 403) return 'auth'
  if (status === 404) return 'not-found'
  if (status === 429) return 'rate-limit'
  return status >= 500 ? 'unavailable' : 'invalid-request'
}
