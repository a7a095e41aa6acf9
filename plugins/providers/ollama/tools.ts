import type { FunctionTool, UpstreamRequestBody } from '../../../core/index.ts'
import type { Tool } from './wire.ts'

/** The vendor leaves the choice to the model: only what is offered can be chosen. */
export function offeredTools({ tools = [], tool_choice: choice }: UpstreamRequestBody): readonly FunctionTool[] {
  if (choice === 'none') return []
  const functions = tools.filter(tool => tool.type === 'function')
  if (typeof choice !== 'object' || choice.type !== 'function') return functions
  const named = functions.filter(({ name }) => name === choice.name)
  return named.length > 0 ? named : functions
}

export function wireTool({ name, description, parameters }: FunctionTool): Tool {
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), parameters: { type: 'object', properties: {}, ...parameters } },
  }
}
