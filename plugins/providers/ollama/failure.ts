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

/** Messages that say more than their status, which is 400 or 500 for most of them. */
const sentences: Patterns<FailureKind> = [
  [/exceeds? (the |maximum |available )*context|prompt (is )?too long|context length exceeded/i, 'context-length'],
  [/^model .* not found/i, 'not-found'],
  [retiredModel, 'not-found'],
  [/server busy|maximum pending requests/i, 'overloaded'],
]

const imageCodes: Patterns<ImageErrorCode> = [
  [/(failed to|unable to|could not) (decode|process|load) .*image|invalid image|image: unknown format/i, 'image_parse_error'],
]

export const { failureFrom, failureInside } = failureReader({ errorIn, kindOf, imageCodes, messageOf })

/** The sentence is in `error`. Proxies in front of the vendor wrap it in an object. */
function errorIn(body: unknown): VendorError {
  const { error } = membersOf(body)
  return { message: firstText(error, membersOf(error)['message']) }
}

function kindOf({ message }: VendorError, status: number | undefined): FailureKind {
  return firstMatch(sentences, message) ?? (status === undefined ? 'unavailable' : failureKindOfStatus(status))
}

/** A missing model may only need to be pulled. */
function messageOf(message: string, kind: FailureKind): string {
  const isMissing = kind === 'not-found' && !/pull/.test(message) && !retiredModel.test(message)
  return isMissing ? `${message}: fetch it with "ollama pull" first.` : message
}
