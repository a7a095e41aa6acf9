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

/** Sentences that say more than their status, which is 400 or 500 for most of them. */
const sentences: readonly (readonly [RegExp, FailureKind])[] = [
  [/exceeds? (the |maximum |available )*context|prompt (is )?too long|context length exceeded/i, 'context-length'],
  [/^model .* not found/i, 'not-found'],
  [retiredModel, 'not-found'],
  [/server busy|maximum pending requests/i, 'overloaded'],
]

const imageCodes: readonly (readonly [RegExp, ImageErrorCode])[] = [
  [/(failed to|unable to|could not) (decode|process|load) .*image|invalid image|image: unknown format/i, 'image_parse_error'],
]

/** A reply of status 400 and above. */
export function failure(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  return failureOf(messageIn(parseJson(body)), { status, headers, upstream: body })
}

/** A line of a stream that tells an error. */
export function failureInside(line: unknown): ProviderFailure {
  return failureOf(messageIn(line), { upstream: JSON.stringify(line) })
}

function failureOf(
  message: string | undefined,
  { status, headers = {}, upstream }: { readonly status?: number; readonly headers?: UpstreamHeaders; readonly upstream: string },
): ProviderFailure {
  const kind = kindOf(message, status)
  return new ProviderFailure({
    kind,
    message:
      hinted(message, kind) ??
      (status === undefined ? 'The provider broke off its reply.' : `The provider answered with status ${status}.`),
    code: imageCodes.find(([pattern]) => pattern.test(message ?? ''))?.[1],
    status,
    retryAfterMs: retryAfterMs(headers),
    upstream,
  })
}

/** A model that is not there may only have to be fetched. */
function hinted(message: string | undefined, kind: FailureKind): string | undefined {
  return kind === 'not-found' && message && !/pull/.test(message) && !retiredModel.test(message)
    ? `${message}: fetch it with "ollama pull" first.`
    : message
}

function kindOf(message: string | undefined, status: number | undefined): FailureKind {
  const told = sentences.find(([pattern]) => message !== undefined && pattern.test(message))?.[1]
  if (told) return told
  return status === undefined ? 'unavailable' : failureKindOfStatus(status)
}

/** A sentence as `error`; those in front of the vendor send an object. */
function messageIn(body: unknown): string | undefined {
  const { error } = object(body)
  const message = typeof error === 'string' ? error : object(error)['message']
  return typeof message === 'string' && message !== '' ? message : undefined
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
