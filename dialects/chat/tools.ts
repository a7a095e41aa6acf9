import type { JsonObject } from '../../core/index.ts'
import type { CustomTool, FunctionTool, ToolChoice, ToolDefinition, UpstreamRequestBody } from '../../core/kit.ts'
import type { ChatHost } from './chat-host.ts'
import { extraOf } from './own-dialect.ts'
import { searchTool } from './search.ts'

type Tool = FunctionTool | CustomTool

/** `tools` and related members. Hosts reject those without tools. */
export function toolsFor(request: UpstreamRequestBody, host: ChatHost): JsonObject {
  const { tools, choice } = chosen((request.tools ?? []).filter(isSayable), request.tool_choice, host)
  const search = searchTool(request, host)
  const own = ownTools(request)
  if (tools.length + own.length === 0) return search ? { tools: [search], tool_choice: searchChoice(request) } : {}
  const definitions = [...tools.map(tool => definitionFor(tool, host)), ...own]
  return {
    tools: search ? [...definitions, search] : definitions,
    tool_choice: search ? (searchChoice(request) ?? choice) : choice,
    parallel_tool_calls: host.without?.includes('parallel_tool_calls') ? undefined : request.parallel_tool_calls,
  }
}

/** A choice that names the search, or that has nothing else to choose from. */
function searchChoice({ tool_choice: choice }: UpstreamRequestBody): JsonObject | string | undefined {
  if (typeof choice === 'string') return choice
  return choice?.type === 'web_search' ? { type: 'openrouter:web_search' } : undefined
}

function isSayable(tool: ToolDefinition): tool is Tool {
  return tool.type === 'function' || tool.type === 'custom'
}

/** Tools of the host, as a caller of this dialect sent them. */
function ownTools({ tools }: UpstreamRequestBody): readonly JsonObject[] {
  return tools?.flatMap(tool => (tool.type === 'vendor' ? [tool.extra as JsonObject] : [])) ?? []
}

interface Choice {
  readonly tools: readonly Tool[]
  readonly choice?: JsonObject | string | undefined
}

/** If a host does not support a form of choice, offers fewer tools to the same effect. */
function chosen(tools: readonly Tool[], choice: ToolChoice | undefined, host: ChatHost): Choice {
  if (choice === undefined) return { tools }
  if (typeof choice === 'string') return mode(tools, choice, host)
  if (choice.type === 'allowed_tools') {
    const allowed = tools.filter(tool => choice.tools?.some(({ name }) => name === tool.name))
    return { tools, choice: { type: 'allowed_tools', allowed_tools: { mode: choice.mode ?? 'auto', tools: allowed.map(reference) } } }
  }
  const named = tools.filter(({ type, name }) => type === choice.type && name === choice.name)
  if (named.length === 0) return { tools }
  if (host.toolChoice === 'modes' || host.toolChoice === 'auto') return mode(named, 'required', host)
  return { tools, choice: reference(named[0]!) }
}

function mode(tools: readonly Tool[], choice: string, host: ChatHost): Choice {
  if (host.toolChoice !== 'auto') return { tools, choice }
  return choice === 'none' ? { tools: [] } : { tools, choice: 'auto' }
}

function reference({ type, name }: Tool): JsonObject {
  return { type, [type]: { name } }
}

const noParameters = { type: 'object', properties: {} } as const

function definitionFor(tool: Tool, host: ChatHost): JsonObject {
  const { name, description } = tool
  const { function: inside, ...around } = (extraOf(tool) ?? {}) as JsonObject & { readonly function?: JsonObject }
  if (tool.type === 'custom') return { ...around, type: 'custom', custom: { name, description, format: formatFor(tool) } }
  const strict = host.without?.includes('strict') ? undefined : tool.strict
  return { ...around, type: 'function', function: { ...inside, name, description, parameters: tool.parameters ?? noParameters, strict } }
}

/** `{type: 'grammar', syntax, definition}` is one level deeper here. */
function formatFor({ format }: CustomTool): JsonObject | undefined {
  if (format?.type !== 'grammar') return format
  const { type, syntax, definition } = format
  return { type, grammar: { syntax, definition } }
}
