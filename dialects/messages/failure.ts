import type { FailureKind } from '../../core/index.ts'
import {
  failureKindOfStatus,
  failureReader,
  firstMatch,
  firstText,
  membersOf,
  retiredModel,
  type ImageErrorCode,
  type Patterns,
  type VendorError,
} from '../../core/kit.ts'

/** Error types, from the vendor's "Errors" page. */
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

/** Messages that say more than their type, which is `invalid_request_error` for all of them. */
const sentences: Patterns<FailureKind> = [
  [/prompt is too long|exceeds? (the )?(context limit|context window|maximum context)|input is too long/i, 'context-length'],
  [/credit balance is too low|api usage limits|purchase credits/i, 'quota'],
  [retiredModel, 'not-found'],
]

const imageCodes: Patterns<ImageErrorCode> = [
  [/image exceeds .* maximum|image dimensions exceed/i, 'image_too_large'],
  [/could not process image/i, 'image_parse_error'],
  [/unable to download/i, 'failed_to_download_image'],
]

export const { failureFrom, failureInside } = failureReader({ errorIn, kindOf, imageCodes })

function errorIn(body: unknown): VendorError {
  const { error = body } = membersOf(body)
  const { type, message } = membersOf(error)
  return { type: typeof type === 'string' ? type : undefined, message: firstText(error, message) }
}

function kindOf({ type, message }: VendorError, status: number | undefined): FailureKind {
  const bySentence = firstMatch(sentences, message)
  if (bySentence && (type === undefined || type === 'invalid_request_error' || type === 'billing_error')) return bySentence
  const byType = type === undefined ? undefined : kindsByType[type]
  if (byType) return byType
  return status === undefined ? 'unavailable' : failureKindOfStatus(status)
}
