import type { CustomTool, FunctionTool, NamespaceTool, ToolDefinition } from '../../contracts/request.ts'

/** Identifies one of the caller's tools. A function and a custom tool may share a name, and so may tools of two namespaces. */
export interface OwnTool {
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly namespace?: string | undefined
}

/** The tools that the caller runs, including those in namespaces. */
export function ownTools(tools: readonly ToolDefinition[] | undefined): readonly OwnTool[] {
  return (tools ?? []).flatMap<OwnTool>(tool => {
    if (isNamespace(tool)) return tool.tools.map(({ type, name }) => ({ type, name, namespace: tool.name }))
    return isOwn(tool) ? { type: tool.type, name: tool.name } : []
  })
}

export function isOwn(tool: ToolDefinition): tool is FunctionTool | CustomTool {
  return tool.type === 'function' || tool.type === 'custom'
}

export function isNamespace(tool: ToolDefinition): tool is NamespaceTool {
  return tool.type === 'namespace'
}

export function keyOf({ type, name, namespace }: OwnTool): string {
  return `${type} ${namespace ?? ''} ${name}`
}

/** The tools that a choice or a call refers to. Without a namespace, a top-level tool takes precedence over tools in namespaces. */
export interface ToolReference {
  readonly type: string
  readonly name?: string | undefined
  readonly namespace?: string | undefined
}

export function toolsMeant({ type, name, namespace }: ToolReference, among: readonly OwnTool[]): readonly OwnTool[] {
  if (type === 'namespace') return among.filter(tool => tool.namespace === name)
  const named = among.filter(tool => tool.type === type && (name === undefined || tool.name === name))
  if (namespace) return named.filter(tool => tool.namespace === namespace)
  const outside = named.filter(tool => tool.namespace === undefined)
  return name === undefined || outside.length === 0 ? named : outside
}
