import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import type { FunctionTool } from '../../../core/kit.ts'
import { claudeTraitsOf } from '../anthropic/models.ts'
import { enforceableSchema } from '../../../dialects/messages/schema.ts'
import { forcesTool } from '../../../dialects/messages/settings.ts'
import { isStructured } from './answer-format.ts'
import type { ModelTraits } from './models.ts'
import type { Warn } from './settings.ts'
import type { Tool, ToolChoice, ToolConfig } from './wire.ts'

export interface ToolSettings {
  readonly toolConfig?: ToolConfig
  readonly additional?: JsonObject
}

/** The tools to offer, and how the model may choose. */
export function toolsFor(call: ProviderCall, traits: ModelTraits, warn: Warn): ToolSettings {
  const { request, endpoint } = call
  const { tool_choice: choice } = request
  const spoken = calledBefore(call)
  const functions = (request.tools ?? []).filter(tool => tool.type === 'function')
  const searches = traits.grounding && (request.tools ?? []).some(tool => tool.type === 'web_search')
  if (choice === 'none' || (functions.length === 0 && !searches)) {
    // The vendor rejects a conversation with calls unless tools are declared.
    if (spoken.length === 0) return {}
    const declared = functions.length > 0 ? specsOf(functions, call) : spoken.map(name => specOf({ type: 'function', name }, false))
    if (traits.reasoning === 'anthropic') return { toolConfig: { tools: declared }, additional: { tool_choice: { type: 'none' } } }
    if (choice === 'none') warn('tool_choice', 'This model cannot be kept from calling tools once the conversation contains calls.')
    return { toolConfig: { tools: declared } }
  }
  const named = typeof choice === 'object' && choice.type === 'function' ? choice.name : undefined
  const offered = named !== undefined && traits.forcedTools === 'any' ? functions.filter(({ name }) => name === named) : functions
  const tools: Tool[] = [...specsOf(offered, call), ...(searches ? [{ systemTool: { name: 'nova_grounding' } } as const] : [])]
  const forced = forcesTool(request) && isForceable(traits, endpoint)
  // For Claude, the Anthropic dialect has already warned.
  if (forcesTool(request) && !forced && traits.reasoning !== 'anthropic')
    warn('tool_choice', 'This model cannot be forced to call a tool, so it decides itself.')
  const toolChoice: ToolChoice | undefined = !forced
    ? undefined
    : named !== undefined && traits.forcedTools === 'all'
      ? { tool: { name: named } }
      : { any: {} }
  const additional = oneByOne(call, traits, toolChoice !== undefined, warn)
  return { toolConfig: { tools, ...(toolChoice && { toolChoice }) }, ...(additional && { additional }) }
}

function isForceable({ reasoning, forcedTools }: ModelTraits, endpoint: ProviderCall['endpoint']): boolean {
  return reasoning === 'anthropic' ? claudeTraitsOf(endpoint).forcedTools : forcedTools !== 'none'
}

/** The dialect cannot forbid parallel calls. Claude's own can, but must not repeat a choice that the dialect makes. */
function oneByOne({ request }: ProviderCall, traits: ModelTraits, chosen: boolean, warn: Warn): JsonObject | undefined {
  if (request.parallel_tool_calls !== false) return undefined
  if (traits.reasoning === 'anthropic') return { tool_choice: { ...(!chosen && { type: 'auto' }), disable_parallel_tool_use: true } }
  warn('parallel_tool_calls', 'This model cannot be limited to one tool call at a time.')
  return undefined
}

/** The names of the tools called in the conversation so far. */
function calledBefore({ request }: ProviderCall): readonly string[] {
  return [...new Set(request.input.flatMap(item => (item.type === 'function_call' ? [item.name] : [])))]
}

/** The most per request ("Structured outputs", schema complexity limits). */
const maxStrictTools = 20

function specsOf(functions: readonly FunctionTool[], { endpoint }: ProviderCall): Tool[] {
  const strict = isStructured(endpoint) && functions.filter(tool => tool.strict === true).length <= maxStrictTools
  return functions.map(tool => specOf(tool, strict))
}

function specOf(tool: FunctionTool, strict: boolean): Tool {
  const schema = { type: 'object', ...tool.parameters }
  const enforceable = strict && tool.strict === true ? enforceableSchema(schema) : undefined
  return {
    toolSpec: {
      name: tool.name,
      ...(tool.description?.trim() && { description: tool.description }),
      inputSchema: { json: enforceable ?? schema },
      ...(enforceable && { strict: true }),
    },
  }
}
