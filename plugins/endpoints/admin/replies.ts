import type { JsonObject, Position, Reply } from '../../../core/index.ts'
import { cursorAt } from './cursor.ts'

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
): Promise<Reply> {
  const entries = found.slice(0, limit)
  const hasMore = found.length > limit
  const last = entries.at(-1)
  return json({ data: await show(entries), has_more: hasMore, next_cursor: hasMore ? cursorAt(list, positionOf(last!)) : null })
}

export function time(ms: number): string {
  return new Date(ms).toISOString()
}
