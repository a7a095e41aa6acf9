import { GatewayError, isObject, parseJson, ProviderFailure, type FailureKind, type JsonObject } from '../../../core/index.ts'
import { isImageErrorCode, membersOf, retryAfterMs, unlessOversized, type UpstreamHeaders } from '../../../core/kit.ts'
import { kindOf } from './failure-kind.ts'

/** Explains anything thrown here: the abort's reason, one of the gateway's errors, or else a `ProviderFailure`. */
export function failureFrom(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  for (let each = error, depth = 0; depth < 5 && isObject(each); each = each['cause'], depth++) {
    if (ProviderFailure.is(each) || each instanceof GatewayError) return each
    // Packages wrap connection errors in errors about the reply.
    if (depth > 0 && each instanceof Error && typeof each['code'] === 'string') return unforeseen(each)
  }
  return failureInside(error)
}

/** An error inside a stream: the package's, or what the vendor sent. Drops its cause, which may contain the request. */
export function failureInside(error: unknown): ProviderFailure {
  const fields = membersOf(error)
  const name = text(fields['name'])
  const own = name === undefined ? undefined : kindsByName[name]
  if (own) return new ProviderFailure({ kind: own, ...wordsOf(own, fields, error) })
  if (error instanceof Error && name !== 'AI_APICallError') return unforeseen(error)
  const status = number(fields['statusCode'])
  const upstream = text(fields['responseBody']) ?? (error instanceof Error ? undefined : JSON.stringify(fields['data'] ?? error))
  if (status !== undefined && status < 400) return misunderstood(status, upstream)
  const message = sentence(fields) ?? (typeof error === 'string' ? error : undefined)
  const code = fields['code'] ?? codeIn(upstream)
  const words = [code, fields['type'], message].filter(word => typeof word === 'string' || typeof word === 'number').join(' ')
  const kind = unlessOversized(kindOf(status, words, fields['isRetryable']), message)
  return new ProviderFailure({
    kind,
    message: message ?? (status === undefined ? 'The provider failed.' : `The provider answered with status ${status}.`),
    code: isImageErrorCode(code) ? code : undefined,
    status,
    retryAfterMs: retryAfterMs(headersIn(fields['responseHeaders'])),
    upstream,
  })
}

/** Errors of the AI SDK itself, not of the vendor. */
const kindsByName: Readonly<Record<string, FailureKind>> = {
  AI_LoadAPIKeyError: 'auth',
  AI_LoadSettingError: 'auth',
  AI_UnsupportedFunctionalityError: 'invalid-request',
  AI_InvalidArgumentError: 'invalid-request',
  AI_InvalidPromptError: 'invalid-request',
  AI_NoSuchModelError: 'not-found',
  AI_EmptyResponseBodyError: 'protocol',
  AI_InvalidResponseDataError: 'protocol',
  AI_JSONParseError: 'protocol',
  AI_NoContentGeneratedError: 'protocol',
  AI_TypeValidationError: 'protocol',
}

const notUnderstood = 'The provider sent something that its package cannot parse.'

/** Messages of protocol errors quote the reply, so they go into `upstream`. */
function wordsOf(kind: FailureKind, fields: JsonObject, error: unknown): { message: string; upstream?: string } {
  const message = error instanceof Error && error.message ? error.message : 'The package of this provider failed.'
  if (kind !== 'protocol') return { message: message.slice(0, 2000) }
  return { message: notUnderstood, upstream: text(fields['text']) ?? message }
}

/** A page of HTML, an empty body, other JSON, a redirect. */
function misunderstood(status: number, upstream: string | undefined): ProviderFailure {
  const message = status < 300 ? notUnderstood : `The provider answered with a redirect (${status}), which the gateway does not follow.`
  return new ProviderFailure({ kind: 'protocol', message, status, upstream })
}

function unforeseen(error: Error): ProviderFailure {
  const code = (error as { code?: unknown }).code
  const isNetwork = typeof code === 'string' || error.name === 'AbortError' || error.message === 'terminated'
  return isNetwork
    ? new ProviderFailure({
        kind: 'network',
        message: `The connection to the provider failed (${typeof code === 'string' ? code : error.name}).`,
      })
    : new ProviderFailure({ kind: 'protocol', message: `The package of this provider failed with ${error.name}.` })
}

/** The vendor's message, at either of two depths. An HTML page does not count. */
function sentence(fields: JsonObject): string | undefined {
  const message = text(fields['message']) ?? text(membersOf(fields['error'])['message'])
  return message === undefined || message.trimStart().startsWith('<') ? undefined : message.slice(0, 2000)
}

/** Packages keep the message but rarely the code. */
function codeIn(body: string | undefined): unknown {
  const parsed = parseJson(body ?? '')
  const error = isObject(parsed) && isObject(parsed['error']) ? parsed['error'] : parsed
  return isObject(error) ? (error['code'] ?? error['type']) : undefined
}

function headersIn(headers: unknown): UpstreamHeaders {
  return Object.fromEntries(Object.entries(membersOf(headers)).map(([name, value]) => [name, text(value)]))
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
