import type { CustomTool, FunctionTool, JsonObject, ToolChoice, ToolDefinition, UpstreamRequestBody } from '../../../core/index.ts'
import type { Host } from './hosts.ts'

/** A tool as it is offered to the vendor, and what the caller calls it. */
export interface OfferedTool {
  readonly wireName: string
  readonly name: string
  readonly namespace: string | undefined
  readonly isCustom: boolean
  /** A custom tool that had to become a function: its input stands in the one string of the arguments. */
  readonly isWrapped: boolean
  readonly definition: FunctionTool | CustomTool
}

/** Functions and custom tools, those in namespaces too. The rest cannot be said here. */
export function offeredTools(tools: readonly ToolDefinition[] | undefined, host: Host): readonly OfferedTool[] {
  return (tools ?? []).flatMap(tool => {
    if (tool.type === 'function' || tool.type === 'custom') return offered(tool, undefined, host)
    if (tool.type === 'namespace') return tool.tools.map(inner => offered(inner, tool.name, host))
    return []
  })
}

function offered(definition: FunctionTool | CustomTool, namespace: string | undefined, host: Host): OfferedTool {
  const isCustom = definition.type === 'custom'
  const { name } = definition
  return { wireName: wireName(name, namespace), name, namespace, isCustom, isWrapped: isCustom && !host.customTools, definition }
}

export function wireName(name: string, namespace: string | undefined): string {
  if (!namespace) return name
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`
}

/** `tools` and what depends on them; without tools hosts refuse the rest. */
export function toolMembers(request: UpstreamRequestBody, host: Host): JsonObject {
  const all = offeredTools(request.tools, host)
  if (all.length === 0) return {}
  const { tools, choice } = chosen(all, request.tool_choice, host)
  if (tools.length === 0) return {}
  return {
    tools: tools.map(tool => definitionFor(tool, host)),
    tool_choice: choice,
    parallel_tool_calls: host.without?.includes('parallel_tool_calls') ? undefined : request.parallel_tool_calls,
  }
}

interface Choice {
  readonly tools: readonly OfferedTool[]
  readonly choice?: JsonObject | string | undefined
}

/** Where a host lacks a form of choice, fewer tools are offered to the same effect. */
function chosen(tools: readonly OfferedTool[], choice: ToolChoice | undefined, host: Host): Choice {
  if (choice === undefined) return { tools }
  if (typeof choice === 'string') return mode(tools, choice, host)
  if (choice.type === 'allowed_tools') {
    const allowed = tools.filter(tool => choice.tools?.some(({ name }) => isNamed(tool, name)))
    if (host.toolChoice !== 'all') return mode(allowed, choice.mode ?? 'auto', host)
    return {
      tools,
      choice: { type: 'allowed_tools', allowed_tools: { mode: choice.mode ?? 'auto', tools: allowed.map(reference) } },
    }
  }
  const named = tools.filter(tool => isNamed(tool, choice.name))
  if ((choice.type !== 'function' && choice.type !== 'custom') || named.length === 0) return { tools }
  if (host.toolChoice === 'modes' || host.toolChoice === 'auto') return mode(named, 'required', host)
  return { tools, choice: reference(named[0]!) }
}

function mode(tools: readonly OfferedTool[], choice: string, host: Host): Choice {
  if (host.toolChoice !== 'auto') return { tools, choice }
  return choice === 'none' ? { tools: [] } : { tools, choice: 'auto' }
}

function isNamed(tool: OfferedTool, name: string | undefined): boolean {
  return name !== undefined && (tool.wireName === name || tool.name === name)
}

function reference({ wireName: name, isCustom, isWrapped }: OfferedTool): JsonObject {
  return isCustom && !isWrapped ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } }
}

const wrappedParameters = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
} as const

const noParameters = { type: 'object', properties: {} } as const

function definitionFor({ definition, wireName: name, isWrapped }: OfferedTool, host: Host): JsonObject {
  const { description } = definition
  if (definition.type === 'function') {
    const strict = host.without?.includes('strict') ? undefined : definition.strict
    return { type: 'function', function: { name, description, parameters: definition.parameters ?? noParameters, strict } }
  }
  if (!isWrapped) return { type: 'custom', custom: { name, description, format: formatFor(definition) } }
  return { type: 'function', function: { name, description: wrappedDescription(definition), parameters: wrappedParameters } }
}

/** `{type: 'grammar', syntax, definition}` is one level deeper here. */
function formatFor({ format }: CustomTool): JsonObject | undefined {
  if (!format) return undefined
  const { type, syntax, definition } = format as { readonly type?: string; readonly syntax?: string; readonly definition?: string }
  return type === 'grammar' ? { type, grammar: { syntax, definition } } : { ...format }
}

function wrappedDescription({ description, format }: CustomTool): string | undefined {
  const { syntax, definition } = (format ?? {}) as { readonly syntax?: string; readonly definition?: string }
  const grammar = definition === undefined ? undefined : `The input must follow this ${syntax ?? ''} grammar:\n${definition}`
  const sentences = [description, grammar].filter(sentence => sentence !== undefined)
  return sentences.length > 0 ? sentences.join('\n\n') : undefined
}

export function wrapInput(input: string): string {
  return JSON.stringify({ input })
}

/** The input inside the arguments of a wrapped tool; what is no such thing, such as arguments that were cut off, stays as it came. */
export function unwrapInput(args: string): string {
  try {
    const { input } = JSON.parse(args) as { readonly input?: unknown }
    return typeof input === 'string' ? input : args
  } catch {
    return args
  }
}
