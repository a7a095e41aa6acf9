import { invalidRequest, isObject, parseJson } from '../../../core/index.ts'

/** A place in a list of records that is sorted or narrowed by numbers, and the period in which its first page looked. */
export interface RankedPlace {
  readonly sort: string
  readonly ascending: boolean
  readonly value: number
  readonly at: number
  readonly id: string
  readonly from: number | null
  readonly to: number
  /** Records that arrived before it were not looked at. Null if all were. */
  readonly searched: number | null
}

const list = 'ranked-records'

export function rankedCursorAt(place: RankedPlace): string {
  return Buffer.from(JSON.stringify({ list, ...place })).toString('base64url')
}

/** Throws a 400. */
export function rankedPlaceIn(cursor: string, sort: string, ascending: boolean): RankedPlace {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString())
  if (isObject(value) && isPlace(value) && value.sort === sort && value.ascending === ascending) return value
  throw invalidRequest(
    "Invalid value for 'cursor': expected the next_cursor of a page of this list, with the same sort and order. Start again without a cursor.",
    'cursor',
  )
}

function isPlace(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & RankedPlace {
  const { list: named, value: number, at, id, from, to, searched } = value
  const times = [at, to, ...[from, searched].filter(each => each !== null)]
  return named === list && Number.isFinite(number) && typeof id === 'string' && times.every(Number.isSafeInteger)
}
