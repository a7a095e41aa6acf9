import type { CustomToolCallItem, FunctionCallItem, Item } from '../../contracts/items.ts'
import type { CustomTool, FunctionTool, ToolDefinition } from '../../contracts/request.ts'
import { agentToolOfCall } from '../agent-tools/table.ts'

/**
 * Stand-ins for the tools that a conversation has called: some vendors reject calls of a request without tools, and those who compact a
 * conversation often send none.
 */
export function calledTools(items: readonly Item[]): readonly ToolDefinition[] {
  const tools = new Map<string, ToolDefinition>()
  const namespaces = new Map<string, Map<string, FunctionTool | CustomTool>>()
  for (const item of items) {
    if (isNamed(item)) {
      const { namespace } = item
      if (!namespace) tools.set(`${item.type} ${item.name}`, standIn(item))
      else {
        const inside = namespaces.get(namespace) ?? new Map<string, FunctionTool | CustomTool>()
        namespaces.set(namespace, inside.set(`${item.type} ${item.name}`, standIn(item)))
      }
    } else {
      const ofAgents = agentToolOfCall(item.type)
      // The execution says who runs a search, and means nothing to the others.
      if (ofAgents) tools.set(item.type, { type: ofAgents.type, execution: 'client' } as ToolDefinition)
    }
  }
  return [
    ...tools.values(),
    ...Array.from(namespaces, ([name, inside]) => ({ type: 'namespace' as const, name, tools: [...inside.values()] })),
  ]
}

function isNamed(item: Item): item is FunctionCallItem | CustomToolCallItem {
  return item.type === 'function_call' || item.type === 'custom_tool_call'
}

function standIn({ type, name }: FunctionCallItem | CustomToolCallItem): FunctionTool | CustomTool {
  return type === 'custom_tool_call' ? { type: 'custom', name } : { type: 'function', name, parameters: { type: 'object' } }
}
