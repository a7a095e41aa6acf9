import type { Item } from '../../contracts/items.ts'
import { isText } from '../agent-tools/agent-tool.ts'
import { callIdOf } from '../agent-tools/call-id.ts'
import { toolsIn } from '../agent-tools/discovered-tools.ts'
import { agentToolOfCall, agentToolOfOutput } from '../agent-tools/table.ts'
import type { JsonObject } from '../../foundation/json.ts'
import { ownTools, type OwnTool } from './own-tools.ts'
import type { ToolForm, ToolNames } from './tool-names.ts'

/** The tool of a call in the conversation, if the endpoint does not have the tool. */
export function calledAgentTool(item: Item, { lacking }: ToolForm): OwnTool | undefined {
  const row = lacking.size > 0 ? agentToolOfCall(item.type) : undefined
  return row && lacking.has(row.type) && callIdOf(item) !== undefined ? { type: row.type, name: row.type } : undefined
}

/** True for an item that brings tools, or of a search that the vendor ran: the tools are offered, and there is nothing left to tell. */
export function isSpent(item: Item, { lacking }: ToolForm): boolean {
  if (!lacking.has('tool_search')) return false
  if (item.type === 'additional_tools') return true
  return (item.type === 'tool_search_call' || item.type === 'tool_search_output') && callIdOf(item) === undefined
}

/** A call of a tool that the endpoint does not have, or its output, as a function's. Undefined for other items. */
export function loweredAgentItem(item: Item, names: ToolNames, form: ToolForm): Item | readonly Item[] | undefined {
  const { lacking } = form
  if (lacking.size === 0) return undefined
  if (isSpent(item, form)) return []
  const members = item as JsonObject
  const callId = callIdOf(item) ?? ''
  const called = agentToolOfCall(item.type)
  if (called && lacking.has(called.type)) {
    const args = called.argumentsOf(members)
    const text = isText(args) ? args : JSON.stringify(args)
    return { type: 'function_call', call_id: callId, name: names.nameOf({ type: called.type, name: called.type }), arguments: text }
  }
  const answered = agentToolOfOutput(item.type)
  if (!answered || !lacking.has(answered.type)) return undefined
  return { type: 'function_call_output', call_id: callId, output: answered.textOf?.(members) ?? foundText(item, names) }
}

function foundText(item: Item, names: ToolNames): string {
  const found = ownTools(toolsIn(item)).map(tool => names.nameOf(tool))
  return found.length === 0 ? 'No tool was found.' : `These tools can be called from now on: ${found.join(', ')}.`
}
