import { invalidRequest, type JsonObject } from '../../../core/index.ts'
import { turnedOff, unpriced, type ToolChoice, type ToolDefinition, type Warning, wording } from '../../../core/kit.ts'
import type { Circumstances } from './passing.ts'
import type { ContentBody, WireFunction, WireTool } from './request-body.ts'
import { jsonSchemaOf } from './schema.ts'

/** The members of a request that say which tools there are, and how to use them. */
export interface Tools {
  readonly tools?: readonly ToolDefinition[]
  readonly tool_choice?: ToolChoice
}

const choicePath = 'toolConfig.functionCallingConfig'

export function toolsOf({ tools: offered = [], toolConfig }: ContentBody, circumstances: Circumstances, warnings: Warning[]): Tools {
  const functions = new Set<string>()
  const tools = offered.flatMap((tool, index) => toolsIn(tool, index, functions, circumstances, warnings))
  const choice = choiceOf(toolConfig?.functionCallingConfig, functions)
  return { ...(tools.length > 0 && { tools }), ...(choice !== undefined && tools.length > 0 && { tool_choice: choice }) }
}

/** One entry may hold several tools. */
function toolsIn(
  tool: WireTool,
  index: number,
  functions: Set<string>,
  { vendorTools, isCapped, toolTypes }: Circumstances,
  warnings: Warning[],
): readonly ToolDefinition[] {
  // A tool that a plugin adds.
  if (typeof tool['type'] === 'string' && toolTypes.has(tool['type'])) return [tool as unknown as ToolDefinition]
  return Object.keys(tool).flatMap((member): readonly ToolDefinition[] => {
    if (member === 'functionDeclarations')
      return tool.functionDeclarations!.map((each, place) => {
        if (functions.has(each.name))
          throw invalidRequest(
            wording`More than one function has the name "${each.name}". Rename one.`,
            `tools[${index}].functionDeclarations[${place}].name`,
          )
        functions.add(each.name)
        return functionTool(each)
      })
    const value = tool[member]
    if (member === 'googleSearch' || member === 'googleSearchRetrieval') return [searchTool(member, value as JsonObject)]
    const reason = !vendorTools(member) ? turnedOff : isCapped && !withoutFee.has(member) ? unpriced : undefined
    if (reason === undefined) return [{ type: 'vendor', extra: { [member]: value } }]
    warnings.push({ param: 'tools', message: `"${member.slice(0, 64)}" ${reason}` })
    return []
  })
}

/** Tools of the vendor that the caller runs, or that cost nothing besides tokens. */
const withoutFee = new Set(['codeExecution', 'urlContext', 'computerUse'])

const functionMembers = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])

function functionTool(declared: WireFunction): ToolDefinition {
  const { name, description, parameters, parametersJsonSchema } = declared
  const schema = parametersJsonSchema ?? (parameters && jsonSchemaOf(parameters))
  const extra = Object.fromEntries(Object.entries(declared).filter(([member]) => !functionMembers.has(member)))
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    ...(schema && { parameters: schema }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

/** What only the vendor's own search can do is in `extra`. */
function searchTool(member: string, settings: JsonObject): ToolDefinition {
  const isPlain = member === 'googleSearch' && Object.keys(settings).length === 0
  return { type: 'web_search', ...(!isPlain && { extra: { [member]: settings } }) }
}

function choiceOf(
  config: { readonly mode?: string; readonly allowedFunctionNames?: readonly string[] } | undefined,
  functions: ReadonlySet<string>,
): ToolChoice | undefined {
  const { mode: given, allowedFunctionNames: names = [] } = config ?? {}
  const mode = given?.toUpperCase()
  for (const [index, name] of names.entries())
    if (!functions.has(name))
      throw invalidRequest(
        wording`toolConfig allows the function "${name.slice(0, 128)}", which is not among tools.`,
        `${choicePath}.allowedFunctionNames[${index}]`,
      )
  switch (mode) {
    case undefined:
    case '':
    case 'MODE_UNSPECIFIED':
      return undefined
    case 'NONE':
      return 'none'
    case 'AUTO':
      return 'auto'
    case 'ANY':
    case 'VALIDATED': {
      if (mode === 'ANY' && functions.size === 0)
        throw invalidRequest(wording`The mode ANY needs a function, but tools has none. Add one, or use AUTO.`, `${choicePath}.mode`)
      const [name] = names
      if (name === undefined) return mode === 'ANY' ? 'required' : 'auto'
      if (mode === 'ANY' && names.length === 1) return { type: 'function', name }
      const allowed = names.map(each => ({ type: 'function', name: each }))
      return { type: 'allowed_tools', mode: mode === 'ANY' ? 'required' : 'auto', tools: allowed }
    }
    default:
      throw invalidRequest(
        wording`mode must be AUTO, ANY, NONE or VALIDATED, got ${JSON.stringify(given!.slice(0, 64))}.`,
        `${choicePath}.mode`,
      )
  }
}
