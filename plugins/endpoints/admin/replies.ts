import type { JsonObject, Reply } from '../../../core/index.ts'
import type { Position } from '../../../core/stores.ts'
import { cursorAt } from './cursor.ts'
import type { Query } from './query.ts'

export function json(body: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** A page of a list. `found` has one entry more than `limit` if there are more pages. */
export async function page<T>(
  list: string,
  found: readonly T[],
  limit: number,
  positionOf: (entry: T) => Position,
  show: (entries: readonly T[]) => Promise<readonly JsonObject[]> | readonly JsonObject[],
  more: JsonObject = {},
): Promise<Reply> {
  const entries = found.slice(0, limit)
  const hasMore = found.length > limit
  const last = entries.at(-1)
  return json({ ...more, data: await show(entries), has_more: hasMore, next_cursor: hasMore ? cursorAt(list, positionOf(last!)) : null })
}

/** A page of a list that is in memory, in its own order. */
export async function pageOfAll<T>(
  list: string,
  all: readonly T[],
  query: Query,
  idOf: (entry: T) => string,
  show: (entry: T) => JsonObject,
  more: JsonObject = {},
): Promise<Reply> {
  const { limit, pageLimit, after } = query.page(list)
  const start = after === undefined ? 0 : placeAfter(all, after, idOf)
  const places = new Map(all.map((entry, index) => [entry, index]))
  const positionOf = (entry: T): Position => ({ at: places.get(entry)!, id: idOf(entry) })
  return await page(list, all.slice(start, start + limit), pageLimit, positionOf, entries => entries.map(show), more)
}

/** If the entry is gone, the one that took its place comes next. */
function placeAfter<T>(all: readonly T[], { at, id }: Position, idOf: (entry: T) => string): number {
  const place = all.findIndex(entry => idOf(entry) === id)
  return place === -1 ? Math.max(0, at) : place + 1
}

export function time(ms: number): string {
  return new Date(ms).toISOString()
}
