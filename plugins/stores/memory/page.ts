import type { PageQuery, Position } from '../../../core/stores.ts'

/** The part of a list, which is in order, that a query asks for. `newestFirst`: from its end. */
export function pageOf<T>(
  list: readonly T[],
  positionOf: (entry: T) => Position,
  { limit, after }: PageQuery,
  newestFirst = false,
): readonly T[] {
  const ordered = newestFirst ? list.toReversed() : list
  if (!after) return ordered.slice(0, limit)
  const isAfter = (entry: T): boolean => {
    const order = compared(positionOf(entry), after)
    return newestFirst ? order < 0 : order > 0
  }
  return ordered.filter(isAfter).slice(0, limit)
}

export function compared(a: Position, b: Position): number {
  if (a.at !== b.at) return a.at - b.at
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
