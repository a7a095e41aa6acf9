import type { CustomToolCallItem, CustomToolCallOutputItem, FunctionCallItem, FunctionCallOutputItem, Item } from '../../contracts/items.ts'

export type CallItem = FunctionCallItem | CustomToolCallItem
export type OutputItem = FunctionCallOutputItem | CustomToolCallOutputItem

export function isCall(item: Item): item is CallItem {
  return item.type === 'function_call' || item.type === 'custom_tool_call'
}

export function isOutput(item: Item): item is OutputItem {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
}

/** The calls without an output. An output answers the latest call with its id. */
export function openCalls(items: readonly Item[]): ReadonlySet<CallItem> {
  const latest = new Map<string, CallItem>()
  const open = new Set<CallItem>()
  for (const item of items) {
    if (isCall(item)) {
      latest.set(item.call_id, item)
      open.add(item)
    } else if (isOutput(item)) {
      const call = latest.get(item.call_id)
      if (call) open.delete(call)
    }
  }
  return open
}

/** The items without these calls. Reasoning that led to nothing else goes, too: vendors reject thoughts without what follows them. */
export function withoutCalls(items: readonly Item[], calls: ReadonlySet<Item>): readonly Item[] {
  if (calls.size === 0) return items
  const left: Item[] = []
  let isFollowed = true
  for (const item of items.toReversed()) {
    const stays: boolean = !calls.has(item) && (item.type !== 'reasoning' || isFollowed)
    if (stays) left.push(item)
    isFollowed = stays
  }
  return left.reverse()
}

/** True before each position at which the items can be divided: no call is apart from its output, and no thought from what follows it. */
export function divisions(items: readonly Item[]): readonly boolean[] {
  const open = new Set<string>()
  let thinks = false
  return items.map(item => {
    const isFree = open.size === 0 && !thinks
    if (isCall(item)) open.add(item.call_id)
    else if (isOutput(item)) open.delete(item.call_id)
    thinks = item.type === 'reasoning'
    return isFree
  })
}
