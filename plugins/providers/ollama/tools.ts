import { offeredFunctions, type FunctionTool, type UpstreamRequestBody } from '../../../core/kit.ts'
import type { Tool } from './wire.ts'

/** The vendor has no tool choice, so this offers only the tools that the choice allows. */
export function offeredTools({ tools, tool_choice: choice }: UpstreamRequestBody): readonly FunctionTool[] {
  return choice === 'none' ? [] : offeredFunctions(tools, choice)
}

export function wireTool({ name, description, parameters }: FunctionTool): Tool {
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), parameters: { type: 'object', properties: {}, ...parameters } },
  }
}
