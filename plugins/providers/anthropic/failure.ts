import {
  failureKindOfStatus,
  parseJson,
  ProviderFailure,
  retiredModel,
  retryAfterMs,
  type FailureKind,
  type ImageErrorCode,
  type UpstreamHeaders,
} from '../../../core/index.ts'

/** The vendor's "Errors" page: the error types. */
const kindsByType: Readonly<Record<string, FailureKind>> = {
  invalid_request_error: 'invalid-request',
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'quota',
  not_found_error: 'not-found',
  request_too_large: 'context-length',
  rate_limit_error: 'rate-limit',
  timeout_error: 'timeout',
  api_error: 'unavailable',
  overloaded_error: 'overloaded',
}

/** Sentences that say more than their type, which is `invalid_request_error` for all of them. */
const sentences: readonly (readonly [RegExp, FailureKind])[] = [
  [/prompt is too long|exceeds? (the )?(context limit|context window|maximum context)|input is too long/i, 'context-length'],
  [/credit balance is too low|api usage limits|purchase credits/i, 'quota'],
  [retiredModel, 'not-found'],
]

const imageCodes: readonly (readonly [RegExp, ImageErrorCode])[] = [
  [/image exceeds .* maximum|image dimensions exceed/i, 'image_too_large'],
  [/could not process image/i, 'image_parse_error'],
  [/unable to download/i, 'failed_to_download_image'],
]

/** A reply of status 400 and above. */
export function failure(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  return failureOf(parseJson(body), { status, headers, upstream: body })
}

/** An error inside a reply of status 200. */
export function failureInside(event: unknown): ProviderFailure {
  return failureOf(event, { upstream: JSON.stringify(event) })
}

function failureOf(
  body: unknown,
  { status, headers = {}, upstream }: { readonly status?: number; readonly headers?: UpstreamHeaders; readonly upstream: string },
): ProviderFailure {
  const { type, message } = errorIn(body)
  const kind = kindOf(type, message, status)
  return new ProviderFailure({
    kind,
    message: message ?? (status === undefined ? 'The provider broke off its reply.' : `The provider answered with status ${status}.`),
    code: imageCodes.find(([pattern]) => pattern.test(message ?? ''))?.[1],
    status,
    retryAfterMs: retryAfterMs(headers),
    upstream,
  })
}

function kindOf(type: string | undefined, message: string | undefined, status: number | undefined): FailureKind {
  const told = sentences.find(([pattern]) => message !== undefined && pattern.test(message))?.[1]
  if (told && (type === undefined || type === 'invalid_request_error' || type === 'billing_error')) return told
  const byType = type === undefined ? undefined : kindsByType[type]
  if (byType) return byType
  return status === undefined ? 'unavailable' : failureKindOfStatus(status)
}

function errorIn(body: unknown): { readonly type?: string; readonly message?: string } {
  const { error = body } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown }
  if (typeof error === 'string') return { message: error }
  const { type, message } = (typeof error === 'object' && error !== null ? error : {}) as { type?: unknown; message?: unknown }
  return { ...(typeof type === 'string' && { type }), ...(typeof message === 'string' && message !== '' && { message }) }
}
