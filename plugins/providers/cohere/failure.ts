import type { FailureKind } from '../../../core/index.ts'
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
} from '../../../core/kit.ts'

/** `error_type`, where there is one. */
const kindsByType: Readonly<Record<string, FailureKind>> = {
  TOO_MANY_TOKENS: 'context-length',
  // The model made an invalid tool call, which is not the request's fault.
  INVALID_TOOL_GENERATION: 'protocol',
}

/** "Errors", HTTP status codes: the one that is not standard. */
const kindsByStatus: Readonly<Record<number, FailureKind>> = { 498: 'auth' }

/** Messages that say more than their status. */
const sentences: Patterns<FailureKind> = [
  [/too many tokens|maximum context length|exceeds? the context/i, 'context-length'],
  [/API calls? \/ month|per month|monthly|billing limit|payment method|insufficient (balance|credit|funds)/i, 'quota'],
  [/blocked (input|output|by)|content (policy|filter)/i, 'refused'],
  [/(invalid|incorrect|no) api (key|token)/i, 'auth'],
  [retiredModel, 'not-found'],
]

const imageCodes: Patterns<ImageErrorCode> = [
  [/(could not|failed to|unable to) (decode|parse|process) .*image|invalid image/i, 'image_parse_error'],
  [/(failed|unable) to (download|fetch)/i, 'failed_to_download_image'],
  [/image.*(too large|exceeds)/i, 'image_too_large'],
  [/unsupported image/i, 'unsupported_image_media_type'],
]

export const { failureFrom, failureInside } = failureReader({ errorIn, kindOf, imageCodes })

/** The sentence is in `message` of a body, and in `error` at the end of a stream. Proxies in front of the vendor wrap it in an object. */
function errorIn(body: unknown): VendorError {
  const { error, message, error_type: type } = membersOf(body)
  return { type: typeof type === 'string' ? type : undefined, message: firstText(message, membersOf(error)['message'], error) }
}

function kindOf({ type, message }: VendorError, status: number | undefined): FailureKind {
  const byType = type === undefined ? undefined : kindsByType[type]
  if (byType) return byType
  const bySentence = firstMatch(sentences, message)
  if (bySentence && (status === undefined || status < 500)) return bySentence
  if (status === undefined) return 'unavailable'
  return kindsByStatus[status] ?? failureKindOfStatus(status)
}
