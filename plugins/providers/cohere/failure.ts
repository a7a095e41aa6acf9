import {
  failureKindOfStatus,
  isObject,
  parseJson,
  ProviderFailure,
  retiredModel,
  retryAfterMs,
  type FailureKind,
  type ImageErrorCode,
  type JsonObject,
  type UpstreamHeaders,
} from '../../../core/index.ts'

/** `error_type`, where there is one. */
const kindsByType: Readonly<Record<string, FailureKind>> = {
  TOO_MANY_TOKENS: 'context-length',
  // The model called a tool wrongly, for which the request is not to blame.
  INVALID_TOOL_GENERATION: 'protocol',
}

/** "Errors", http status codes: the one that others do not have. */
const kindsByStatus: Readonly<Record<number, FailureKind>> = { 498: 'auth' }

/** Sentences that say more than their status. */
const sentences: readonly (readonly [RegExp, FailureKind])[] = [
  [/too many tokens|maximum context length|exceeds? the context/i, 'context-length'],
  [/API calls? \/ month|per month|monthly|billing limit|payment method|insufficient (balance|credit|funds)/i, 'quota'],
  [/blocked (input|output|by)|content (policy|filter)/i, 'refused'],
  [/(invalid|incorrect|no) api (key|token)/i, 'auth'],
  [retiredModel, 'not-found'],
]

const imageCodes: readonly (readonly [RegExp, ImageErrorCode])[] = [
  [/(could not|failed to|unable to) (decode|parse|process) .*image|invalid image/i, 'image_parse_error'],
  [/(failed|unable) to (download|fetch)/i, 'failed_to_download_image'],
  [/image.*(too large|exceeds)/i, 'image_too_large'],
  [/unsupported image/i, 'unsupported_image_media_type'],
]

/** A reply of status 400 and above. */
export function failure(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  return failureOf(parseJson(body), { status, headers, upstream: body })
}

/** An error inside a reply of status 200. */
export function failureInside(end: unknown): ProviderFailure {
  return failureOf(end, { upstream: JSON.stringify(end) })
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
  const byType = type === undefined ? undefined : kindsByType[type]
  if (byType) return byType
  const told = sentences.find(([pattern]) => message !== undefined && pattern.test(message))?.[1]
  if (told && (status === undefined || status < 500)) return told
  if (status === undefined) return 'unavailable'
  return kindsByStatus[status] ?? failureKindOfStatus(status)
}

/** `message` in a body, `error` at the end of a stream; those in front of the vendor wrap it. */
function errorIn(body: unknown): { readonly type?: string; readonly message?: string } {
  const { error, message, error_type: type } = object(body)
  const inner = object(error)
  const sentence = [message, inner['message'], error].find(text => typeof text === 'string' && text !== '')
  return { ...(typeof type === 'string' && { type }), ...(typeof sentence === 'string' && { message: sentence }) }
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
