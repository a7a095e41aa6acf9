import { invalidRequest, isObject, type GenerationRequest, type JsonObject } from '../../../core/index.ts'
import { wording } from '../../../core/kit.ts'

/** Tool names must be unambiguous, and `tool_choice` must be possible: docs/protocol/tools.md#choosing. Throws a 400. */
export function checkTools({
  tools: given = [],
  tool_choice: choice,
  input,
}: Pick<GenerationRequest, 'tools' | 'tool_choice' | 'input'>): void {
  checkNames(given, 'tools')
  if (choice === undefined || choice === 'auto' || choice === 'none') return
  const tools = [...given, ...input.flatMap(toolsIn)]
  if (tools.length === 0) throw invalidRequest(wording`tool_choice requires a tool, but tools is empty.`, 'tool_choice')
  if (choice === 'required') return
  const offered = new Set(tools.flatMap(toolNames))
  const missing = (type: string, name: string | undefined): boolean => !offered.has(name === undefined ? type : `${type} ${name}`)
  if (choice.type === 'allowed_tools') {
    for (const [index, { type, name }] of (choice.tools ?? []).entries()) {
      if (missing(type, name)) throw invalidRequest(wording`"${name ?? type}" is not among tools.`, `tool_choice.tools[${index}]`)
    }
    if (!choice.tools?.length) throw invalidRequest(wording`Expected at least one tool.`, 'tool_choice.tools', 'missing_required_parameter')
  } else if (missing(choice.type, choice.type === 'function' || choice.type === 'custom' ? (choice.name ?? '') : undefined)) {
    throw invalidRequest(wording`"${choice.name ?? choice.type}" is not among tools.`, 'tool_choice')
  }
}

/** Functions and custom tools share one set of names. Each namespace has a separate one. */
function checkNames(tools: readonly JsonObject[], path: string): void {
  const seen = new Set<unknown>()
  for (const [index, { type, name, tools: nested }] of tools.entries()) {
    if (type === 'namespace') checkNames(nested as readonly JsonObject[], `${path}[${index}].tools`)
    if (type !== 'function' && type !== 'custom') continue
    if (seen.has(name))
      throw invalidRequest(
        wording`More than one tool has the name "${String(name)}". Rename one, or put them in namespaces.`,
        `${path}[${index}].name`,
      )
    seen.add(name)
  }
}

/** The tools that an item of the conversation brings. */
function toolsIn(item: JsonObject): readonly JsonObject[] {
  const { type, tools } = item
  if (type !== 'tool_search_output' && type !== 'additional_tools') return []
  return Array.isArray(tools) ? tools.filter(isObject) : []
}

function toolNames(tool: JsonObject): readonly string[] {
  const { type, name, tools } = tool as { type: string; name?: string; tools?: readonly JsonObject[] }
  const nested = type === 'namespace' && Array.isArray(tools) ? tools.filter(isObject).flatMap(toolNames) : []
  return [type, ...(name === undefined ? [] : [`${type} ${name}`]), ...nested]
}
