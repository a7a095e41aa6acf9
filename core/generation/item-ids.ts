import type { Item } from '../contracts/items.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { Ids } from '../ids.ts'

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  web_search_call: 'ws',
  compaction: 'cmp',
}

/** Items that clients may list and refer to later: each has an id, the caller's own where it sent one. */
export function withIds(items: readonly Item[], ids: Ids): readonly Item[] {
  const taken = new Set<string>()
  return items.map(item => {
    const own = idOf(item)
    const id = own !== undefined && !taken.has(own) ? own : ids.make(prefixes[item.type] ?? 'item')
    taken.add(id)
    return id === own ? item : ({ ...item, id } as Item)
  })
}

/**
 * What the model said, under the ids under which the client was shown it. Both lists tell the same answer in the same order, one before
 * and one after output filters: calls are matched by their call id, everything else by its place among its kind.
 */
export function withShownIds(said: readonly Item[], shown: readonly JsonObject[], ids: Ids): readonly Item[] {
  const left = new Map<string, JsonObject[]>()
  for (const item of shown) {
    const key = keyOf(item)
    const known = left.get(key)
    if (known) known.push(item)
    else left.set(key, [item])
  }
  const named = said.map(item => {
    const match = left.get(keyOf(item))?.shift()
    return match ? ({ ...item, id: match['id'] } as Item) : item
  })
  return withIds(named, ids)
}

function idOf(item: Item): string | undefined {
  return 'id' in item && typeof item.id === 'string' && item.id !== '' ? item.id : undefined
}

function keyOf(item: Item | JsonObject): string {
  const { type, call_id } = item as JsonObject
  return typeof call_id === 'string' ? `${String(type)} ${call_id}` : String(type)
}
