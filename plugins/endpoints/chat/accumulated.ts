import { isObject, type JsonObject } from '../../../core/index.ts'

/** Members that say the same in every piece. */
const repeated = new Set(['id', 'type', 'format', 'index', 'role', 'name'])

/** A member of a message after one more delta, as clients of this API add them up: texts grow, lists grow or, with indexes, their entries. */
export function accumulated(so: unknown, piece: unknown, name = ''): unknown {
  if (so === undefined || so === null) return piece
  if (piece === undefined || piece === null) return so
  if (typeof so === 'string' && typeof piece === 'string') return repeated.has(name) ? piece : so + piece
  if (Array.isArray(so) && Array.isArray(piece)) return withEntries(so, piece)
  return isObject(so) && isObject(piece) ? withMembers(so, piece) : piece
}

/** The members of a message after one more delta. */
export function withMembers(so: JsonObject, piece: JsonObject): JsonObject {
  const all: Record<string, unknown> = { ...so }
  for (const name in piece) all[name] = accumulated(so[name], piece[name], name)
  return all
}

function withEntries(so: readonly unknown[], piece: readonly unknown[]): readonly unknown[] {
  const all = [...so]
  for (const entry of piece) {
    const index = isObject(entry) ? entry['index'] : undefined
    const place = typeof index === 'number' ? all.findIndex(each => isObject(each) && each['index'] === index) : -1
    if (place < 0) all.push(entry)
    else all[place] = withMembers(all[place] as JsonObject, entry as JsonObject)
  }
  return all
}
