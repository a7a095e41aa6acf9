import type { FunctionTool, ToolChoice, ToolDefinition } from '../contracts/tools.ts'

/** The functions to offer a vendor that cannot be told to call a certain one: if the choice names one, that one alone. */
export function offeredFunctions(tools: readonly ToolDefinition[] = [], choice: ToolChoice | undefined): readonly FunctionTool[] {
  const functions = tools.filter(tool => tool.type === 'function')
  if (typeof choice !== 'object' || choice.type !== 'function') return functions
  const named = functions.filter(({ name }) => name === choice.name)
  return named.length > 0 ? named : functions
}
