import type { RecordFacts } from '../contracts/record-fields.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import { knownPath } from '../validation/known-names.ts'

const longest = 2_000

/** What the metadata of a record keeps of the words of an error: nothing that it quotes. */
export function toldBy({ param, unquotedMessage }: GatewayError): Pick<RecordFacts, 'errorMessage' | 'errorParam'> {
  return {
    errorMessage: unquotedMessage === undefined ? null : kept(unquotedMessage),
    errorParam: param === undefined ? null : kept(knownPath(param)),
  }
}

/** The words that the caller got. They are content. */
export function wordsOf({ message, param }: GatewayError): JsonObject {
  return { message: kept(message), param: param === undefined ? null : kept(param) }
}

function kept(text: string): string {
  return text.slice(0, longest).toWellFormed()
}
