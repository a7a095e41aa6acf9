import type { JsonObject } from '../../../core/index.ts'
import { offeredFunctions, type FunctionTool, type UpstreamRequestBody } from '../../../core/kit.ts'
import type { ModelTraits } from './models.ts'
import { countFields, isEnforceable } from './schema.ts'
import type { ChatBody, Tool } from './wire.ts'

/** The vendor can be forced to call a tool, but not a specific one. To force a specific one, offer only that tool. */
export function toolsFor(
  request: UpstreamRequestBody,
  { strictTools }: ModelTraits,
): Pick<ChatBody, 'tools' | 'tool_choice' | 'strict_tools'> {
  const offered = offeredTools(request)
  if (offered.length === 0) return {}
  const choice = toolChoice(request)
  return {
    tools: offered.map(wireTool),
    ...(choice && { tool_choice: choice }),
    ...(strictTools && areStrict(offered) && { strict_tools: true }),
  }
}

export function offeredTools({ tools, tool_choice: choice }: UpstreamRequestBody): readonly FunctionTool[] {
  return offeredFunctions(tools, choice)
}

function wireTool({ name, description, parameters }: FunctionTool): Tool {
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), parameters: schemaOf(parameters) },
  }
}

function schemaOf(parameters: JsonObject | undefined): JsonObject {
  return { type: 'object', properties: {}, ...parameters }
}

function toolChoice({ tool_choice: choice }: UpstreamRequestBody): ChatBody['tool_choice'] {
  if (choice === 'none') return 'NONE'
  return choice === 'required' || (typeof choice === 'object' && choice.type === 'function') ? 'REQUIRED' : undefined
}

/** "Structured Outputs", notes on `strict_tools`. */
const maxStrictFields = 200

/** Strictness applies to all tools or none. */
function areStrict(tools: readonly FunctionTool[]): boolean {
  const schemas = tools.map(({ parameters }) => schemaOf(parameters))
  return tools.every(({ strict }) => strict === true) && schemas.every(isEnforceable) && countFields(schemas) <= maxStrictFields
}
