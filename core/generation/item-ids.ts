import type { Item } from '../contracts/items.ts'
import type { Ids } from '../foundation/ids.ts'

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  apply_patch_call: 'apc',
  apply_patch_call_output: 'apco',
  local_shell_call: 'lsh',
  local_shell_call_output: 'lsho',
  shell_call: 'sh',
  shell_call_output: 'sho',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  web_search_call: 'ws',
  mcp_list_tools: 'mcpl',
  mcp_call: 'mcp',
  mcp_approval_request: 'mcpr',
  compaction: 'cmp',
}

/** Makes an id for a new item of this type. */
export function idOfNew(type: string, ids: Ids): string {
  return ids.make(prefixes[type] ?? 'item')
}

/** Gives every item an id, so that clients can list and reference it later. The caller's own ids stay, unless they repeat. */
export function withIds(items: readonly Item[], ids: Ids): readonly Item[] {
  const taken = new Set<string>()
  return items.map(item => {
    const own = idOf(item)
    const id = own !== undefined && !taken.has(own) ? own : idOfNew(item.type, ids)
    taken.add(id)
    return id === own ? item : ({ ...item, id } as Item)
  })
}

function idOf(item: Item): string | undefined {
  return 'id' in item && typeof item.id === 'string' && item.id !== '' ? item.id : undefined
}
