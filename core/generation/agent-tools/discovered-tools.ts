import type { Item } from '../../contracts/items.ts'
import type { CustomTool, FunctionTool, NamespaceTool, ToolChoice, ToolDefinition } from '../../contracts/request.ts'
import { isObject, type JsonObject } from '../../foundation/json.ts'
import { isNamespace, isOwn, keyOf, ownTools, toolsMeant, type OwnTool } from '../lowering/own-tools.ts'

type Callable = FunctionTool | CustomTool | NamespaceTool

const plainName = /^[\w-]{1,128}$/

/** True for an item that brings tools: what a search found, or what the caller added in the middle of a conversation. */
export function bringsTools({ type }: Item): boolean {
  return type === 'tool_search_output' || type === 'additional_tools'
}

/** The tools that an item brings and that any endpoint can call. Others are left out. */
export function toolsIn(item: Item): readonly Callable[] {
  const { tools } = item as JsonObject
  return Array.isArray(tools) ? tools.flatMap(tool => callable(tool) ?? []) : []
}

/**
 * The tools to offer to an endpoint that cannot search for tools: those that wait for a search of the caller are left out until an item of
 * the conversation brings them, or the choice names them. In the order in which they came, so that the first ones stay what they were.
 */
export function withDiscovered(
  tools: readonly ToolDefinition[],
  input: readonly Item[],
  choice: ToolChoice | undefined,
): readonly ToolDefinition[] {
  const isSearched = tools.some(tool => tool.type === 'tool_search' && (tool as JsonObject)['execution'] === 'client')
  const all: ToolDefinition[] = []
  for (const tool of tools) {
    if (isNamespace(tool)) {
      const inner = tool.tools.filter(each => !isSearched || !isDeferred(each) || isChosen({ ...each, namespace: tool.name }, choice))
      if (inner.length > 0) all.push({ ...tool, tools: inner.map(undeferred) })
    } else if (!isOwn(tool)) all.push(tool)
    else if (!isSearched || !isDeferred(tool) || isChosen(tool, choice)) all.push(undeferred(tool))
  }
  const known = new Set(ownTools(all).map(keyOf))
  for (const item of input) if (bringsTools(item)) for (const tool of toolsIn(item)) add(tool, all, known)
  return all
}

/** True if a tool waits for a search. */
export function isDeferred(tool: object): boolean {
  return (tool as JsonObject)['defer_loading'] === true
}

function add(tool: Callable, all: ToolDefinition[], known: Set<string>): void {
  const isNew = (own: OwnTool): boolean => !known.has(keyOf(own))
  const remember = (own: OwnTool): void => void known.add(keyOf(own))
  if (!isNamespace(tool)) {
    const own = { type: tool.type, name: tool.name }
    if (isNew(own)) all.push(undeferred(tool))
    return remember(own)
  }
  const inner = tool.tools.filter(({ type, name }) => isNew({ type, name, namespace: tool.name })).map(undeferred)
  for (const { type, name } of inner) remember({ type, name, namespace: tool.name })
  if (inner.length === 0) return
  const place = all.findIndex(each => isNamespace(each) && each.name === tool.name)
  if (place === -1) all.push({ ...tool, tools: inner })
  else all[place] = { ...tool, ...all[place], tools: [...(all[place] as NamespaceTool).tools, ...inner] } as NamespaceTool
}

function isChosen(tool: OwnTool, choice: ToolChoice | undefined): boolean {
  if (typeof choice !== 'object') return false
  const wanted = choice.type === 'allowed_tools' ? (choice.tools ?? []) : [choice]
  return wanted.some(each => each.name !== undefined && toolsMeant(each, [tool]).length > 0)
}

function undeferred<T extends object>(tool: T): T {
  if (!('defer_loading' in tool)) return tool
  const { defer_loading: _, ...others } = tool
  return others as T
}

function callable(tool: unknown): Callable | undefined {
  if (!isObject(tool) || typeof tool['name'] !== 'string' || !plainName.test(tool['name'])) return undefined
  const { type, description, ...others } = tool
  const described = typeof description === 'string' ? { ...others, type, description } : { ...others, type }
  if (type === 'namespace') {
    const inner = Array.isArray(tool['tools']) ? tool['tools'].flatMap(each => callable(each) ?? []) : []
    const tools = inner.filter(each => !isNamespace(each))
    return tools.length > 0 ? ({ ...described, tools } as unknown as NamespaceTool) : undefined
  }
  if (type === 'function') return { ...withoutNulls(described), ...(!isObject(tool['parameters']) && { parameters: {} }) } as FunctionTool
  return type === 'custom' ? (withoutNulls(described) as unknown as CustomTool) : undefined
}

function withoutNulls(tool: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(tool).filter(([, value]) => value !== null && value !== undefined))
}
