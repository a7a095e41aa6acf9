import type { JsonObject } from '../../core/index.ts'
import type { FunctionTool, UpstreamRequestBody, WebSearchTool } from '../../core/kit.ts'
import { dialect, extraOf } from './own-dialect.ts'
import { enforceableSchema } from './schema.ts'
import { searchEntry, searchTool } from './search.ts'
import { forcesTool } from './settings.ts'
import type { MessagesTraits } from './traits.ts'
import type { SearchTool, Tool, ToolChoice } from './wire.ts'

/** Functions, the vendor's own search, and the vendor's other tools for callers of this dialect. */
export function toolsFor(
  request: UpstreamRequestBody,
  traits: MessagesTraits,
): { readonly tools?: readonly (Tool | SearchTool | JsonObject)[]; readonly tool_choice?: ToolChoice } {
  const functions = (request.tools ?? []).filter(tool => tool.type === 'function')
  const search = searchEntry(request)
  const isOwn = request.extra?.dialect === dialect
  if (functions.length === 0 && !search && !(isOwn && request.tools?.length)) return {}
  const choice = choiceFor(request, traits)
  const strict = traits.structuredOutput && functions.filter(isStrict).length <= maxStrictTools
  if (isOwn) return { tools: ownTools(request, strict), ...(choice && { tool_choice: choice }) }
  const tools = functions.map(each => wireTool(each, strict))
  return {
    tools: search ? [...tools, searchTool(search, request.max_tool_calls)] : tools,
    ...(choice && { tool_choice: choice }),
  }
}

/** In the caller's order, which is part of the cached prefix. */
function ownTools({ tools = [], max_tool_calls: uses }: UpstreamRequestBody, strict: boolean): readonly (Tool | SearchTool | JsonObject)[] {
  return tools.flatMap((tool): readonly (Tool | SearchTool | JsonObject)[] => {
    const extra = extraOf(tool, true)
    if (tool.type === 'function') return [{ ...extra, ...wireTool(tool, strict) }]
    if (extra && (tool.type === 'vendor' || typeof extra['type'] === 'string')) return [extra]
    return tool.type === 'web_search' ? [searchTool(tool as WebSearchTool, uses)] : []
  })
}

/** The most per request ("Structured outputs", schema complexity limits). */
const maxStrictTools = 20

function isStrict(tool: FunctionTool): boolean {
  return tool.strict === true
}

function wireTool(tool: FunctionTool, strict: boolean): Tool {
  const schema = { type: 'object', ...tool.parameters }
  const enforceable = strict && isStrict(tool) ? enforceableSchema(schema) : undefined
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    input_schema: enforceable ?? schema,
    ...(enforceable && { strict: true }),
  }
}

function choiceFor(request: UpstreamRequestBody, traits: MessagesTraits): ToolChoice | undefined {
  const { tool_choice: choice, parallel_tool_calls: parallel } = request
  const oneByOne = parallel === false ? ({ disable_parallel_tool_use: true } as const) : {}
  if (choice === 'none') return { type: 'none' }
  if (forcesTool(request) && traits.forcedTools) {
    const name = typeof choice !== 'object' ? undefined : choice.type === 'web_search' ? choice.type : choice.name
    return name === undefined ? { type: 'any', ...oneByOne } : { type: 'tool', name, ...oneByOne }
  }
  return choice === undefined && parallel !== false ? undefined : { type: 'auto', ...oneByOne }
}
