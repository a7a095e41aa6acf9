import type { Item } from '../../contracts/items.ts'
import type { CustomTool, FunctionTool, ToolDefinition } from '../../contracts/request.ts'
import { isCall, type CallItem } from './calls.ts'

/**
 * Stand-ins for the tools that a conversation has called: some vendors reject calls of a request without tools, and those who compact a
 * conversation often send none.
 */
export function calledTools(items: readonly Item[]): readonly ToolDefinition[] {
  const tools = new Map<string, ToolDefinition>()
  const namespaces = new Map<string, Map<string, FunctionTool | CustomTool>>()
  for (const call of items) {
    if (!isCall(call)) continue
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

function standIn({ type, name }: CallItem): FunctionTool | CustomTool {
  return type === 'custom_tool_call' ? { type: 'custom', name } : { type: 'function', name, parameters: { type: 'object' } }
}
