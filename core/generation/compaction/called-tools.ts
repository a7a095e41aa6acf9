import type { CustomToolCallItem, FunctionCallItem, Item } from '../../contracts/items.ts'
import type { CustomTool, FunctionTool, ToolDefinition } from '../../contracts/request.ts'
import type { AgentTool } from '../agent-tools/agent-tool.ts'
import { callIdOf } from '../agent-tools/call-id.ts'
import { agentToolOfCall } from '../agent-tools/table.ts'
import { isCall } from './calls.ts'

/**
 * Stand-ins for the tools that a conversation has called: some vendors reject calls of a request without tools, and those who compact a
 * conversation often send none.
 */
export function calledTools(items: readonly Item[]): readonly ToolDefinition[] {
  const tools = new Map<string, ToolDefinition>()
  const namespaces = new Map<string, Map<string, FunctionTool | CustomTool>>()
  for (const call of items) {
    if (!isCall(call)) continue
    const agentTool = agentToolOfCall(call.type)
    if (agentTool) {
      // Calls of a search that the vendor runs have no output.
      if (callIdOf(call) !== undefined) tools.set(agentTool.type, standInOf(agentTool))
      continue
    }
    if (call.type !== 'function_call' && call.type !== 'custom_tool_call') continue
    const { namespace } = call
    if (!namespace) tools.set(`${call.type} ${call.name}`, standIn(call))
    else {
      const inside = namespaces.get(namespace) ?? new Map<string, FunctionTool | CustomTool>()
      namespaces.set(namespace, inside.set(`${call.type} ${call.name}`, standIn(call)))
    }
  }
  return [
    ...tools.values(),
    ...Array.from(namespaces, ([name, inside]) => ({ type: 'namespace' as const, name, tools: [...inside.values()] })),
  ]
}

function standIn({ type, name }: FunctionCallItem | CustomToolCallItem): FunctionTool | CustomTool {
  return type === 'custom_tool_call' ? { type: 'custom', name } : { type: 'function', name, parameters: { type: 'object' } }
}

function standInOf({ type }: AgentTool): ToolDefinition {
  return type === 'tool_search' ? { type, execution: 'client' } : { type }
}
