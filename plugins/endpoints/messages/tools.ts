import { invalidRequest, type JsonObject } from '../../../core/index.ts'
import { turnedOff, unpriced, type ToolChoice, type ToolDefinition, type Warning, type WebSearchTool, wording } from '../../../core/kit.ts'
import type { Circumstances } from './passing.ts'
import type { RequestBody, WireTool } from './request-body.ts'

/** The members of a request that say which tools there are, and how to use them. */
export interface Tools {
  readonly tools?: readonly ToolDefinition[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: boolean
  readonly max_tool_calls?: number
}

export function toolsOf(
  { tools: offered, tool_choice: choice }: RequestBody,
  { toolTypes: added, vendorTools, isCapped }: Circumstances,
  warnings: Warning[],
): Tools {
  const isForced = choice?.type === 'any' || choice?.type === 'tool'
  if (!offered?.length) {
    if (isForced) throw invalidRequest(wording`tool_choice "${choice.type}" needs a tool, but tools is empty.`, 'tool_choice')
    return {}
  }
  const tools = offered.flatMap((each): readonly ToolDefinition[] => {
    const tool = toolOf(each, added)
    if (tool.type !== 'vendor') return [tool]
    const reason = !vendorTools(each.type!) ? turnedOff : isCapped && !withoutFee.test(each.type!) ? unpriced : undefined
    if (reason === undefined) return [tool]
    warnings.push({ param: 'tools', message: `"${each.type!.slice(0, 64)}" ${reason}` })
    return []
  })
  checkNames(offered)
  if (tools.length === 0) return {}
  const search = offered.find(isSearch)
  return {
    tools,
    ...(choice && { tool_choice: choiceOf(choice, offered) }),
    ...(choice?.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
    ...(search?.max_uses && { max_tool_calls: search.max_uses }),
  }
}

/** Tools of the vendor that the caller runs, or that cost nothing besides tokens. */
const withoutFee = /^(bash|text_editor|computer|memory|web_fetch|tool_search_tool_\w+|mcp_toolset)(_\d+)?$/

function toolOf(tool: WireTool, added: ReadonlySet<string>): ToolDefinition {
  const { type, name = '', description, input_schema: parameters, strict } = tool
  if (!type || type === 'custom') {
    const extra = others(tool)
    return {
      type: 'function',
      name,
      ...(typeof description === 'string' && { description }),
      ...(parameters && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
      ...(extra && { extra }),
    }
  }
  if (isSearch(tool)) return searchOf(tool)
  return added.has(type) ? (tool as unknown as ToolDefinition) : { type: 'vendor', extra: tool }
}

const functionMembers = new Set(['type', 'name', 'description', 'input_schema', 'strict'])

function others(tool: WireTool): JsonObject | undefined {
  let extra: Record<string, unknown> | undefined
  for (const member in tool) {
    const value = tool[member]
    if (!functionMembers.has(member) && value !== null && value !== undefined) (extra ??= {})[member] = value
  }
  return extra
}

/** The gateway's `web_search`, and the vendor's with a date. */
function isSearch({ type }: WireTool): boolean {
  return typeof type === 'string' && /^web_search(_\d+)?$/.test(type)
}

function searchOf(tool: WireTool): WebSearchTool {
  const { type, allowed_domains: allowed, blocked_domains: blocked, user_location: location } = tool
  // The gateway's own type has the members of the neutral tool.
  if (type === 'web_search') return tool as unknown as WebSearchTool
  const place = location && Object.fromEntries(Object.entries(location).filter(([, value]) => value !== null))
  return {
    type: 'web_search',
    ...((allowed?.length || blocked?.length) && {
      filters: { ...(allowed?.length && { allowed_domains: allowed }), ...(blocked?.length && { blocked_domains: blocked }) },
    }),
    ...(place && { user_location: place as NonNullable<WebSearchTool['user_location']> }),
    extra: tool,
  } as WebSearchTool
}

function choiceOf({ type, name = '' }: NonNullable<RequestBody['tool_choice']>, offered: readonly WireTool[]): ToolChoice {
  if (type !== 'tool') return type === 'any' ? 'required' : type
  const tool = offered.find(each => each.name === name)
  if (!tool) throw invalidRequest(wording`tool_choice names the tool "${name}", which is not among tools.`, 'tool_choice.name')
  return isSearch(tool) ? { type: 'web_search' } : { type: 'function', name }
}

function checkNames(tools: readonly WireTool[]): void {
  const seen = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    if (name === undefined) continue
    if (seen.has(name)) throw invalidRequest(wording`More than one tool has the name "${name}". Rename one.`, `tools[${index}].name`)
    seen.add(name)
  }
}
