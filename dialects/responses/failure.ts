import { parseJson, ProviderFailure, type FailureKind } from '../../core/index.ts'
import { failureKindOfStatus, isImageErrorCode, retiredModel, retryAfterMs, unlessOversized, type UpstreamHeaders } from '../../core/kit.ts'
import { object, text } from './wire.ts'

/** A reply of status 400 and above. */
export function failureFrom(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  const { message = `The provider answered with status ${status}.`, codes } = explain(parseJson(body))
  const kind = unlessOversized(kindOf(codes, message, status), message)
  return new ProviderFailure({
    kind,
    message,
    code: codes.find(isImageErrorCode),
    status,
    retryAfterMs: kind === 'quota' ? undefined : (retryAfterMs(headers) ?? spokenDelay(message)),
    upstream: body,
  })
}

/** An error in a stream or in a reply of status 200. */
export function failureInside(error: unknown, upstream: string): ProviderFailure {
  const { message = 'The provider failed without an explanation.', codes, status } = explain({ error })
  const kind = unlessOversized(kindOf(codes, message, status), message)
  return new ProviderFailure({ kind, message, code: codes.find(isImageErrorCode), status, retryAfterMs: spokenDelay(message), upstream })
}

interface Explanation {
  readonly message: string | undefined
  /** The vendor's code and type, most telling first. */
  readonly codes: readonly string[]
  readonly status: number | undefined
}

/** `{error: {message, type, code}}` mostly; xAI has `{code, error: "…"}`, OpenRouter's code is an HTTP status, Azure's front end sends `{statusCode, message}`. */
function explain(body: unknown): Explanation {
  const outer = object(body) ?? {}
  const error = object(outer.error) ?? outer
  const inner = object(error.innererror)
  const codes = [error.code, inner?.code, error.type, outer.code].filter(code => typeof code === 'string')
  const status = typeof error.code === 'number' && error.code >= 400 && error.code < 600 ? error.code : undefined
  return { message: text(error.message) ?? text(error.error) ?? text(outer.error) ?? text(outer.message), codes, status }
}

const kindsByCode: Readonly<Record<string, FailureKind>> = {
  context_length_exceeded: 'context-length',
  insufficient_quota: 'quota',
  billing_hard_limit_reached: 'quota',
  billing_not_active: 'quota',
  invalid_api_key: 'auth',
  authentication_error: 'auth',
  model_not_found: 'not-found',
  DeploymentNotFound: 'not-found',
  rate_limit_exceeded: 'rate-limit',
  rate_limit_error: 'rate-limit',
  content_filter: 'refused',
  content_policy_violation: 'refused',
  ResponsibleAIPolicyViolation: 'refused',
  image_content_policy_violation: 'refused',
  invalid_prompt: 'refused',
  bio_policy: 'refused',
  misalignment_policy_violation: 'refused',
  cyber_policy: 'refused',
  server_is_overloaded: 'overloaded',
  slow_down: 'overloaded',
  server_error: 'unavailable',
  vector_store_timeout: 'unavailable',
  data_residency_mismatch: 'invalid-request',
  invalid_request_error: 'invalid-request',
}

/** Failures that some hosts identify only by message. */
const kindsByMessage: readonly (readonly [RegExp, FailureKind])[] = [
  [
    /context (?:length|window|size)|maximum context|maximum prompt length|(?:prompt|input) (?:is )?too long|exceeds? the maximum number of tokens/i,
    'context-length',
  ],
  [/(incorrect|invalid|missing|expired|no) api[ -]?key|api[ -]?key\b.*\b(invalid|not valid|expired|required)/i, 'auth'],
  [/insufficient (balance|credits|funds)|requires more credits|spending limit/i, 'quota'],
  [/\bmodel\b.*\b(does not exist|not found|is not a valid model|not supported with the Responses API)/i, 'not-found'],
  [retiredModel, 'not-found'],
  [/content (management )?polic|usage (polic|guidelines)|safety (check|system)|moderation|flagged/i, 'refused'],
]

function kindOf(codes: readonly string[], message: string, status: number | undefined): FailureKind {
  const told = codes.map(kindOfCode).find(kind => kind !== undefined)
  if (told && told !== 'invalid-request' && !(told === 'unavailable' && status !== undefined)) return told
  // The message of an outage or a rate limit may mention anything.
  const requestAtFault = status === undefined ? told !== 'unavailable' : status < 500 && status !== 429 && status !== 401
  if (requestAtFault) for (const [words, kind] of kindsByMessage) if (words.test(message)) return kind
  return status === undefined ? (told ?? 'unavailable') : failureKindOfStatus(status)
}

function kindOfCode(code: string): FailureKind | undefined {
  if (isImageErrorCode(code)) return kindsByCode[code] ?? 'invalid-request'
  return kindsByCode[code] ?? (retiredModel.test(code) ? 'not-found' : undefined)
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** "Please try again in 1m3.5s.", "Please retry after 26 seconds." */
function spokenDelay(message: string): number | undefined {
  const spoken = /(?:try again in|retry after) ((?:[\d.]+ ?(?:ms|h|m|s)[a-z]* ?)+)/i.exec(message)?.[1]
  if (!spoken) return undefined
  const pieces = spoken.matchAll(/([\d.]+) ?(ms|h|m|s)/gi)
  return Math.ceil([...pieces].reduce((sum, [, amount, unit]) => sum + Number.parseFloat(amount!) * unitsMs[unit!.toLowerCase()]!, 0))
}
