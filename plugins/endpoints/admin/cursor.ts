import { invalidRequest, isObject, parseJson } from '../../../core/index.ts'
import type { Position } from '../../../core/stores.ts'

/** A cursor names its list, so that one of another list is refused. */
export function cursorAt(list: string, { at, id }: Position): string {
  return Buffer.from(JSON.stringify({ list, at, id })).toString('base64url')
}

/** Throws a 400. */
export function positionIn(list: string, cursor: string): Position {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString())
  if (isObject(value) && value['list'] === list && Number.isSafeInteger(value['at']) && typeof value['id'] === 'string')
    return { at: value['at'] as number, id: value['id'] }
  throw invalidRequest(
    "Invalid value for 'cursor': expected the next_cursor of a page of this list. Start again without a cursor.",
    'cursor',
  )
}
