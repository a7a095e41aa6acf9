import type { FailureKind } from '../../../core/index.ts'
import { failureKindOfStatus, failureReader, firstMatch, retiredModel, type ImageErrorCode, type Patterns } from '../../../core/kit.ts'
import { errorIn, type GoogleError } from './google-error.ts'

/** `google.rpc.Code`, by its names. */
const kindsByName: Readonly<Record<string, FailureKind>> = {
  INVALID_ARGUMENT: 'invalid-request',
  OUT_OF_RANGE: 'invalid-request',
  // The account's region or billing does not allow the use.
  FAILED_PRECONDITION: 'auth',
  UNAUTHENTICATED: 'auth',
  PERMISSION_DENIED: 'auth',
  NOT_FOUND: 'not-found',
  RESOURCE_EXHAUSTED: 'rate-limit',
  CANCELLED: 'unavailable',
  INTERNAL: 'unavailable',
  UNAVAILABLE: 'overloaded',
  DEADLINE_EXCEEDED: 'timeout',
}

/** Messages that say more than their code, which is INVALID_ARGUMENT for all of them. */
const sentences: Patterns<FailureKind> = [
  [/input token count.*exceeds the maximum|exceeds the maximum number of (input )?tokens|maximum context length/i, 'context-length'],
  [/api key (not valid|expired|not found)|invalid api key/i, 'auth'],
  [retiredModel, 'not-found'],
]

const imageCodes: Patterns<ImageErrorCode> = [
  [/unable to process input image|could not decode image/i, 'image_parse_error'],
  [/cannot fetch content from the provided url|failed to fetch|url_(error|unreachable|rejected)/i, 'failed_to_download_image'],
  [/unsupported mime type/i, 'unsupported_image_media_type'],
]

export const { failureFrom, failureInside } = failureReader({ errorIn, kindOf, imageCodes })

function kindOf({ type: name, message = '', reasons, limits }: GoogleError, status: number | undefined): FailureKind {
  if (reasons.some(reason => reason.startsWith('API_KEY_'))) return 'auth'
  if (name === 'RESOURCE_EXHAUSTED' || status === 429) return quotaOrRate(message, limits)
  if (/billing|prepayment|credits? (are|is) depleted/i.test(message) && (name === 'FAILED_PRECONDITION' || name === 'PERMISSION_DENIED'))
    return 'quota'
  const isVague = name === undefined || name === 'INVALID_ARGUMENT' || name === 'FAILED_PRECONDITION'
  const bySentence = isVague ? firstMatch(sentences, message) : undefined
  if (bySentence && (status === undefined || status < 500)) return bySentence
  const byName = name === undefined ? undefined : kindsByName[name]
  if (byName) return byName
  return status === undefined ? 'unavailable' : failureKindOfStatus(status)
}

/** The message is the same for both. The limit that was hit tells whether waiting helps. */
function quotaOrRate(message: string, limits: readonly string[]): FailureKind {
  if (limits.some(limit => /PerDay/i.test(limit))) return 'quota'
  if (limits.some(limit => /Per(Minute|Second|Hour)/i.test(limit))) return 'rate-limit'
  return /current quota|billing|prepayment|credits/i.test(message) ? 'quota' : 'rate-limit'
}
