import type { Capabilities } from '../../contracts/catalog.ts'
import type { CustomTool, FunctionTool, NamespaceTool, ToolDefinition } from '../../contracts/request.ts'
import type { AgentToolType } from '../../contracts/tools.ts'
import { agentToolOf, hasAgentTool } from '../agent-tools/table.ts'

/** Identifies one of the caller's tools. A function and a custom tool may share a name, and so may tools of two namespaces. */
export interface OwnTool {
  readonly type: 'function' | 'custom' | AgentToolType
  readonly name: string
  readonly namespace?: string | undefined
  /** The input of a custom tool must match it. */
  readonly grammar?: Grammar | undefined
}

export interface Grammar {
  readonly syntax: string
  readonly definition: string
}

/** The tools that the caller runs, including those in namespaces. */
export function ownTools(tools: readonly ToolDefinition[] | undefined): readonly OwnTool[] {
  return (tools ?? []).flatMap<OwnTool>(tool => {
    if (isNamespace(tool)) return tool.tools.map(inner => ownTool(inner, tool.name))
    return isOwn(tool) ? ownTool(tool) : []
  })
}

/** The same, and the tools of coding agents that the endpoint does not have: `leaveOutBuiltInTools` has left out what cannot be called. */
export function callableTools(tools: readonly ToolDefinition[] | undefined, capabilities: Capabilities): readonly OwnTool[] {
  const own = ownTools(tools)
  const others = (tools ?? []).flatMap<OwnTool>(tool => {
    const row = agentToolOf(tool)
    return row && !hasAgentTool(capabilities, row.type) ? { type: row.type, name: row.type } : []
  })
  return others.length > 0 ? [...own, ...others] : own
}

function ownTool(tool: FunctionTool | CustomTool, namespace?: string): OwnTool {
  const { type, name } = tool
  const format = tool.type === 'custom' ? tool.format : undefined
  const { syntax, definition } = format ?? {}
  const isGrammar = format?.type === 'grammar' && syntax !== undefined && definition !== undefined
  return { type, name, ...(namespace !== undefined && { namespace }), ...(isGrammar && { grammar: { syntax, definition } }) }
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
