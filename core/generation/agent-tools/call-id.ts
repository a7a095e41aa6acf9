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

function isOfLocalShell({ type }: Item): boolean {
  return type === 'local_shell_call' || type === 'local_shell_call_output'
}
