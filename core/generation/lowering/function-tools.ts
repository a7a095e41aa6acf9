import type { Item } from '../../contracts/items.ts'
import type { CustomTool, FunctionTool, NamespaceTool, ToolChoice, ToolDefinition } from '../../contracts/request.ts'
import { agentToolOf } from '../agent-tools/table.ts'
import { calledAgentTool, isSpent, loweredAgentItem } from './agent-items.ts'
import type { Draft } from './draft.ts'
import { checkGrammars, grammarWarnings } from './grammars.ts'
import { callableTools, isNamespace, isOwn, toolsMeant, type OwnTool, type ToolReference } from './own-tools.ts'
import { raiseCalls } from './raised-calls.ts'
import { isAgentTool, isChanged, isPlain, maxNameLength, toolFormOf, ToolNames, type ToolForm } from './tool-names.ts'

/**
 * docs/protocol/tools.md#definitions: if an endpoint does not support custom tools, they become functions with one string. If it does not
 * support namespaces, their tools become top-level tools. Functions stand for the tools of coding agents that it does not have. This applies
 * to tools, choice and conversation; calls in the answer are restored.
 * `own` holds every tool that the caller sent, so that a tool's name does not depend on which of them are allowed this time.
 */
export function lowerToFunctions(draft: Draft, own: readonly OwnTool[]): void {
  const { request, endpoint, warnings, raises } = draft
  // A function that still has extras goes to an endpoint of its dialect, which takes such names.
  const form = toolFormOf(endpoint.capabilities, !request.extra && own.some(({ name }) => !isPlain(name)))
  const offered = callableTools(request.tools, endpoint.capabilities)
  const called = request.input.flatMap(item => calledTool(item, form))
  const changed = [...offered, ...called].filter(tool => isChanged(tool, form))
  if (changed.length === 0 && !request.input.some(item => isSpent(item, form))) return
  const names = new ToolNames(own, form)
  const { tools, tool_choice: choice } = request
  if (tools) request.tools = tools.flatMap(tool => loweredTool(tool, names, form))
  if (typeof choice === 'object') request.tool_choice = loweredChoice(choice, own, names, form)
  request.input = request.input.flatMap(item => loweredItem(item, names, form))
  raises.push(raiseCalls(names, form))
  if (form.unenforced) checkGrammars(draft, offered)

  const warn = (message: string): void => void warnings.push({ param: own.length > 0 ? 'tools' : 'input', message })
  if (form.functionsOnly && changed.some(({ type }) => type === 'custom'))
    warn('custom is not supported by this model: these tools became functions with one string, "input"')
  if (form.unenforced) for (const message of grammarWarnings(offered)) warn(message)
  const agents = new Set(changed.filter(isAgentTool).map(({ type }) => type))
  for (const type of agents) warn(`${type} is not available on this model: a function stands for it`)
  if (form.flat && changed.some(({ namespace }) => namespace !== undefined))
    warn('namespace is not supported by this model: these tools became functions named "namespace__name"')
  if (form.plain) warn('a name has other characters than letters, digits, "_" and "-", which all models take: "_" stands for them')
  if (form.flat && changed.some(({ name }) => name.length > maxNameLength))
    warn(`a name is longer than the ${maxNameLength} characters that all models take: it was shortened`)
}

function calledTool(item: Item, form: ToolForm): OwnTool | readonly OwnTool[] {
  if (item.type === 'message') return []
  if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return calledAgentTool(item, form) ?? []
  const { type, name, namespace } = item
  return { type: type === 'custom_tool_call' ? 'custom' : 'function', name, namespace: namespace || undefined }
}

function loweredTool(tool: ToolDefinition, names: ToolNames, form: ToolForm): ToolDefinition | readonly ToolDefinition[] {
  if (isOwn(tool)) return loweredOwn(tool, undefined, names, form)
  if (!isNamespace(tool)) return loweredAgentTool(tool, names, form)
  const tools = tool.tools.map(inner => loweredOwn(inner, tool, names, form))
  return form.flat ? withIntroduction(tools, tool) : { ...tool, tools }
}

function loweredAgentTool(tool: ToolDefinition, names: ToolNames, { lacking }: ToolForm): ToolDefinition {
  const row = lacking.has(tool.type) ? agentToolOf(tool) : undefined
  const standIn = row?.functionOf(tool)
  // Not strict: some members are optional.
  return row && standIn ? { type: 'function', name: names.nameOf({ type: row.type, name: row.type }), ...standIn, strict: false } : tool
}

function loweredOwn(
  tool: FunctionTool | CustomTool,
  namespace: NamespaceTool | undefined,
  names: ToolNames,
  form: ToolForm,
): FunctionTool | CustomTool {
  const name = names.nameOf({ type: tool.type, name: tool.name, namespace: namespace?.name })
  if (tool.type === 'custom' && form.functionsOnly)
    return { type: 'function', name, description: descriptionOf(tool), parameters: oneString }
  return name === tool.name ? tool : { ...tool, name }
}

/** A namespace's description moves into the description of one of its tools, the only place left for it. */
function withIntroduction(
  tools: readonly (FunctionTool | CustomTool)[],
  { name, description }: NamespaceTool,
): readonly (FunctionTool | CustomTool)[] {
  if (!description) return tools
  const about = `About all tools of "${name}": ${description}`
  return tools.map((tool, index) => (index > 0 ? tool : { ...tool, description: paragraphs(tool.description, about) }))
}

const oneString = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
} as const

function descriptionOf({ description, format }: CustomTool): string {
  const rule = format?.type === 'grammar' ? `It must match this ${format.syntax} grammar:\n${format.definition}` : undefined
  return paragraphs(description, 'The tool receives the string `input` as it is: plain text without any wrapping.', rule)
}

function paragraphs(...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join('\n\n')
}

function loweredChoice(
  choice: Exclude<ToolChoice, string>,
  own: readonly OwnTool[],
  names: ToolNames,
  form: ToolForm,
): Exclude<ToolChoice, string> {
  const referencesTo = (wanted: ToolReference): ToolReference[] =>
    toolsMeant(wanted, own).map(tool => ({
      type: form.functionsOnly || isAgentTool(tool) ? 'function' : tool.type,
      name: names.nameOf(tool),
      ...(!form.flat && tool.namespace && { namespace: tool.namespace }),
    }))
  if (choice.type === 'allowed_tools') {
    const tools = (choice.tools ?? []).flatMap<ToolReference>(wanted => {
      const references = referencesTo(wanted)
      return references.length > 0 ? references : wanted
    })
    return { ...choice, tools: tools as NonNullable<typeof choice.tools> }
  }
  return (referencesTo(choice)[0] as typeof choice | undefined) ?? choice
}

function loweredItem(item: Item, names: ToolNames, form: ToolForm): Item | readonly Item[] {
  switch (item.type) {
    case 'message':
      return item
    case 'function_call':
    case 'custom_tool_call': {
      const tool = calledTool(item, form) as OwnTool
      const { namespace: _, ...call } = item
      const named = { ...call, name: names.nameOf(tool), ...(!form.flat && tool.namespace && { namespace: tool.namespace }) }
      if (named.type !== 'custom_tool_call' || !form.functionsOnly) return named
      const { input, ...rest } = named
      return { ...rest, type: 'function_call', arguments: JSON.stringify({ input }) }
    }
    case 'custom_tool_call_output':
      return form.functionsOnly ? { ...item, type: 'function_call_output' } : item
    default:
      return loweredAgentItem(item, names, form) ?? item
  }
}
