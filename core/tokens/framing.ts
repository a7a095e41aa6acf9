import type { GenerationRequest } from '../contracts/request.ts'

// Fitted to what OpenAI's models report: exact for messages (the reasoning models take one token less), close for calls and tools.
const perRequest = 3
const perMessage = 4
const perCallOrOutput = 7
const perTool = 5

/** How many tokens a vendor puts around the texts of a request, to keep them apart. */
export function framingOf({ instructions, input, tools = [] }: GenerationRequest): number {
  let tokens = perRequest + perTool * tools.length
  if (instructions !== undefined) tokens += perMessage
  for (const { type } of input) {
    if (type === 'message') tokens += perMessage
    else if (type.startsWith('function_call') || type.startsWith('custom_tool_call')) tokens += perCallOrOutput
  }
  return tokens
}
