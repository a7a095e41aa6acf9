import type { Item } from '../../contracts/items.ts'
import type { JsonObject } from '../../foundation/json.ts'
import { isText } from './agent-tool.ts'

/** The id that pairs a call with its output. A search that the vendor ran has none. */
export function callIdOf(item: Item): string | undefined {
  const { call_id: callId, id, execution } = item as JsonObject
  if (execution === 'server') return undefined
  if (isText(callId) && callId !== '') return callId
  // The public type of these outputs has the id of the call as its own.
  return isOfLocalShell(item) && isText(id) && id !== '' ? id : undefined
}

/**
 * Outputs of a local shell may have the id of the call's item in place of its `call_id`: they get the latter. Of two calls with one id,
 * the later one counts.
 */
export function withCallIds(input: readonly Item[]): readonly Item[] {
  if (!input.some(isNamedById)) return input
  const callIds = new Map<string, string>()
  const known = new Set<string>()
  return input.map(item => {
    if (item.type === 'local_shell_call') {
      const callId = callIdOf(item)
      const { id } = item as JsonObject
      if (callId !== undefined) known.add(callId)
      if (callId !== undefined && isText(id)) callIds.set(id, callId)
    }
    if (!isNamedById(item)) return item
    const id = callIdOf(item)!
    const callId = known.has(id) ? undefined : callIds.get(id)
    return callId === undefined ? item : { ...item, call_id: callId }
  })
}

function isNamedById(item: Item): boolean {
  return item.type === 'local_shell_call_output' && callIdOf(item) !== undefined && !(item as JsonObject)['call_id']
}

function isOfLocalShell({ type }: Item): boolean {
  return type === 'local_shell_call' || type === 'local_shell_call_output'
}
