import { isObject, parseJson, type JsonObject } from '../foundation/json.ts'

/** A call's arguments as an object. Text that is not a JSON object, such as arguments cut off by the output limit, becomes `{ arguments: text }`. */
export function argumentsOf(text: string): JsonObject {
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  return isObject(parsed) ? parsed : { arguments: text }
}
