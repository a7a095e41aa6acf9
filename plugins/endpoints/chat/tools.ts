import { invalidRequest, type JsonObject } from '../../../core/index.ts'
import { turnedOff, unpriced, type ToolChoice, type ToolDefinition, type Warning, type WebSearchTool, wording } from '../../../core/kit.ts'
import type { Circumstances } from './passing.ts'
import type { RequestBody, ToolReference, WireCustom, WireFunction, WireTool, WireToolChoice } from './wire.ts'

/** The members of a request that say which tools there are, and how to use them. */
export interface Tools {
  readonly tools?: readonly ToolDefinition[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: boolean
}

export function toolsOf(body: RequestBody, circumstances: Circumstances, warnings: Warning[]): Tools {
  const { functions, function_call: called, web_search_options: search, parallel_tool_calls: parallel } = body
  const offered = body.tools ?? []
  const older = offered.length === 0 ? (functions ?? []) : []
  checkNames(offered, older)
  const tools = [
    ...offered.flatMap(tool => toolsFor(tool, circumstances, warnings)),
    ...older.map(each => functionTool(each, {})),
    ...(search && !offered.some(isSearch) ? [searchBy(search)] : []),
  ]
  const choice = choiceOf(body.tool_choice, offered) ?? (older.length > 0 ? olderChoice(called) : undefined)
  if (tools.length === 0) {
    if (choice !== undefined && choice !== 'none' && choice !== 'auto' && offered.length === 0)
      throw invalidRequest(wording`tool_choice asks for a tool, but tools is empty.`, 'tool_choice')
    return {}
  }
  return {
    tools,
    ...(choice !== undefined && { tool_choice: choice }),
    // The older form has room for one call.
    ...(older.length > 0 ? { parallel_tool_calls: false } : typeof parallel === 'boolean' && { parallel_tool_calls: parallel }),
  }
}

/** True if the request has the older form of tools, and its answer too. */
export function isOlderForm({ tools, functions }: RequestBody): boolean {
  return !tools?.length && Boolean(functions?.length)
}

function toolsFor(tool: WireTool, { toolTypes, vendorTools, isCapped }: Circumstances, warnings: Warning[]): readonly ToolDefinition[] {
  const { type } = tool
  if (type === 'function') return [functionTool(tool.function!, tool)]
  if (type === 'custom') return [customTool(tool.custom!, tool)]
  // The members of the neutral tool.
  if (isSearch(tool)) return [{ ...tool, type: 'web_search' } as unknown as WebSearchTool]
  if (toolTypes.has(type)) return [tool as unknown as ToolDefinition]
  const reason = !vendorTools(type) ? turnedOff : isCapped ? unpriced : undefined
  if (reason === undefined) return [{ type: 'vendor', extra: tool }]
  warnings.push({ param: 'tools', message: `"${type.slice(0, 64)}" ${reason}` })
  return []
}

/** The gateway's `web_search`, and the older names of it. */
function isSearch({ type }: { readonly type: string }): boolean {
  return /^web_search(_preview)?(_\d{4}_\d\d_\d\d)?$/.test(type)
}

function functionTool(called: WireFunction, around: JsonObject): ToolDefinition {
  const { name, description, parameters, strict } = called
  const inside = others(called, functionMembers)
  const extra = { ...others(around, toolMembers), ...(Object.keys(inside).length > 0 && { function: inside }) }
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    ...(parameters && { parameters }),
    ...(typeof strict === 'boolean' && { strict }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

function customTool({ name, description, format }: WireCustom, around: JsonObject): ToolDefinition {
  const extra = others(around, toolMembers)
  return {
    type: 'custom',
    name,
    ...(typeof description === 'string' && { description }),
    ...(format && { format: format.type === 'grammar' ? { type: 'grammar', ...format.grammar! } : { type: 'text' } }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

const functionMembers = new Set(['name', 'description', 'parameters', 'strict'])
const toolMembers = new Set(['type', 'function', 'custom'])

function others(sent: JsonObject, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => !known.has(name) && value !== null && value !== undefined))
}

function searchBy({ search_context_size: size, user_location: location }: NonNullable<RequestBody['web_search_options']>): WebSearchTool {
  const place = Object.fromEntries(Object.entries(location?.approximate ?? {}).filter(([, value]) => value !== null))
  return {
    type: 'web_search',
    ...(size && { search_context_size: size }),
    ...(Object.keys(place).length > 0 && { user_location: { type: 'approximate', ...place } }),
  }
}

function choiceOf(choice: WireToolChoice | null | undefined, offered: readonly WireTool[]): ToolChoice | undefined {
  if (choice === null || choice === undefined || typeof choice === 'string') return choice ?? undefined
  const { allowed_tools: allowed } = choice
  if (allowed)
    return {
      type: 'allowed_tools',
      mode: allowed.mode ?? 'auto',
      tools: allowed.tools.map(each => reference(each, offered, 'allowed_tools')),
    }
  return reference(choice, offered, 'function')
}

function reference(chosen: ToolReference, offered: readonly WireTool[], member: string): { readonly type: string; readonly name?: string } {
  const { type } = chosen
  if (isSearch(chosen)) return { type: 'web_search' }
  const name = (type === 'custom' ? chosen.custom : chosen.function)?.name
  if (name === undefined) return { type }
  if (!offered.some(tool => tool.type === type && (tool.custom ?? tool.function)?.name === name))
    throw invalidRequest(wording`tool_choice names the tool "${name}", which is not among tools.`, `tool_choice.${member}`)
  return { type, name }
}

function olderChoice(called: RequestBody['function_call']): ToolChoice | undefined {
  if (called === null || called === undefined || typeof called === 'string') return called ?? undefined
  return { type: 'function', name: called.name }
}

function checkNames(tools: readonly WireTool[], functions: readonly WireFunction[]): void {
  const seen = new Set<string>()
  const check = (name: string | undefined, path: string): void => {
    if (name === undefined) return
    if (seen.has(name)) throw invalidRequest(wording`More than one tool has the name "${name}". Rename one.`, path)
    seen.add(name)
  }
  for (const [index, tool] of tools.entries())
    check((tool.function ?? tool.custom)?.name, `tools[${index}].${tool.function ? 'function' : 'custom'}.name`)
  for (const [index, { name }] of functions.entries()) check(name, `functions[${index}].name`)
}
