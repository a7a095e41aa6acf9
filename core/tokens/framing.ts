import type { GenerationRequest } from '../contracts/request.ts'

// Fitted to the usage that OpenAI's models report: exact for messages (reasoning models need one token less), close for calls and tools.
const perRequest = 3
const perMessage = 4
const perCallOrOutput = 7
const perTool = 5

/** The number of tokens that a vendor adds to separate the texts of a request. */
export function framingOf({ instructions, input, tools = [] }: GenerationRequest): number {
  let tokens = perRequest + perTool * tools.length
  if (instructions !== undefined) tokens += perMessage
  for (const { type } of input) {
    if (type === 'message') tokens += perMessage
    else if (type.startsWith('function_call') || type.startsWith('custom_tool_call')) tokens += perCallOrOutput
  }
  return tokens
}
