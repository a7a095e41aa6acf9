import type {
  CustomToolCallItem,
  CustomToolCallOutputItem,
  ForeignItem,
  FunctionCallItem,
  FunctionCallOutputItem,
  Item,
} from '../../contracts/items.ts'
import { callIdOf } from '../agent-tools/call-id.ts'
import { agentToolOfCall, agentToolOfOutput } from '../agent-tools/table.ts'

/** The last kind is of tools of coding agents. */
export type CallItem = FunctionCallItem | CustomToolCallItem | ForeignItem
export type OutputItem = FunctionCallOutputItem | CustomToolCallOutputItem | ForeignItem

export function isCall(item: Item): item is CallItem {
  if (item.type === 'message') return false
  return item.type === 'function_call' || item.type === 'custom_tool_call' || agentToolOfCall(item.type) !== undefined
}

export function isOutput(item: Item): item is OutputItem {
  if (item.type === 'message') return false
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output' || agentToolOfOutput(item.type) !== undefined
}

/** A call in the words of a function's. */
export function spokenCall(call: CallItem): { readonly name: string; readonly input: string } {
  if (call.type === 'function_call') return { name: call.name, input: call.arguments }
  if (call.type === 'custom_tool_call') return { name: call.name, input: call.input }
  const row = agentToolOfCall(call.type)
  return { name: row?.type ?? call.type, input: JSON.stringify(row?.argumentsOf(call) ?? {}) }
}

/** The calls without an output. An output answers the latest call with its id. */
export function openCalls(items: readonly Item[]): ReadonlySet<CallItem> {
  const latest = new Map<string, CallItem>()
  const open = new Set<CallItem>()
  for (const item of items) {
    const callId = callIdOf(item)
    if (callId === undefined) continue
    if (isCall(item)) {
      latest.set(callId, item)
      open.add(item)
    } else if (isOutput(item)) {
      const call = latest.get(callId)
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
    const callId = callIdOf(item)
    if (callId !== undefined && isCall(item)) open.add(callId)
    else if (callId !== undefined && isOutput(item)) open.delete(callId)
    thinks = item.type === 'reasoning'
    return isFree
  })
}
