import { isObject, parseJson, type JsonObject } from '../foundation/json.ts'

/** A call's arguments for a vendor that wants the object. What is none, as of a call that was cut short by the output limit, is kept under a name of its own. */
export function argumentsOf(text: string): JsonObject {
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  return isObject(parsed) ? parsed : { arguments: text }
}
