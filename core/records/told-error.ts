import type { RecordFacts } from '../contracts/record-fields.ts'
import type { GatewayError } from '../foundation/errors.ts'
import { knownPath } from '../validation/known-names.ts'

const longest = 2_000

/** What a record keeps of the words of an error. `mayQuote`: the policy's `logging` is on. */
export function toldBy(error: GatewayError, mayQuote: boolean): Pick<RecordFacts, 'errorMessage' | 'errorParam'> {
  const { param, unquotedMessage } = error
  const message = mayQuote ? error.message : unquotedMessage
  return {
    errorMessage: message === undefined ? null : message.slice(0, longest).toWellFormed(),
    errorParam: param === undefined ? null : (mayQuote ? param : knownPath(param)).slice(0, longest).toWellFormed(),
  }
}
