import { ProviderFailure } from '../contracts/provider.ts'
import { isObject, parseJson, type JsonObject } from '../foundation/json.ts'

/** The JSON of one frame of a stream. Throws `ProviderFailure` if it is not JSON. */
export function frameJson(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent an event that is not JSON.', upstream: data, cause })
  }
}

/**
 * A call's arguments for a vendor that wants an object. Text that is not one, such as a call cut off by the output limit, becomes `{
 * arguments: text }`.
 */
export function argumentsOf(text: string): JsonObject {
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  return isObject(parsed) ? parsed : { arguments: text }
}
