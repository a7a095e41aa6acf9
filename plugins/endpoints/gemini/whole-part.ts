import type { JsonObject } from '../../../core/index.ts'
import { unshown, type OpenPart, type PartContext } from './open-part.ts'

/** A part that arrives whole, in the words of the vendor. */
export function wholePart(context: PartContext, words: JsonObject): OpenPart {
  const signature = context.takeSignature()
  const part = { ...words, ...(signature !== undefined && { thoughtSignature: signature }) }
  if (context.streaming) context.send(part)
  context.keep(part)
  return unshown
}
