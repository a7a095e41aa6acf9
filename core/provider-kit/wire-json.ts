import { ProviderFailure } from '../contracts/provider.ts'
import { isObject, parseJson, type JsonObject } from '../foundation/json.ts'
import { RepeatedJson } from '../runtime/repeated-json.ts'
import { wording } from '../foundation/wording.ts'

/** The JSON of one frame of a stream. Throws `ProviderFailure` if it is not JSON. */
export function frameJson(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw notJson(data, cause)
  }
}

/**
 * `frameJson` for one stream in which most frames differ from the one before in a single text, which is several times as fast. `holderOf`:
 * the object with that text. `members`: where the text may be. A frame may be returned again with the next text in it, so keep none.
 */
export function repeatedFrames<T>(holderOf: (frame: T) => object | null | undefined, members: readonly string[]): (data: string) => T {
  const frames = new RepeatedJson(holderOf, members)
  return data => {
    try {
      return frames.parse(data)
    } catch (cause) {
      throw notJson(data, cause)
    }
  }
}

function notJson(data: string, cause: unknown): ProviderFailure {
  return new ProviderFailure({ kind: 'protocol', message: wording`The provider sent an event that is not JSON.`, upstream: data, cause })
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
