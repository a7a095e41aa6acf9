import type { JsonObject } from '../../../core/index.ts'
import type { FunctionTool, UpstreamRequestBody } from '../../../core/kit.ts'
import { exactOf, extraOf, fieldsOf, type Exact } from './own-dialect.ts'
import { enforceableSchema } from './schema.ts'
import type { FunctionCallingConfig, FunctionDeclaration, GenerateContentBody } from './wire.ts'

/**
 * The caller's tools in the vendor's form. The vendor cannot combine its search with functions. Functions take priority, unless the
 * choice allows only the search (docs/protocol/tools.md#web-search, rule 5).
 */
export function toolsFor(request: UpstreamRequestBody): Pick<GenerateContentBody, 'tools' | 'toolConfig'> {
  const exact = exactOf(request)
  if (exact) return ownTools(request, exact)
  const { functions, search } = offeredTools(request)
  if (functions.length > 0) {
    const config = configFor(request)
    return {
      tools: [{ functionDeclarations: functions.map(declaration) }],
      ...(config && { toolConfig: { functionCallingConfig: config } }),
    }
  }
  return search ? { tools: [{ googleSearch: {} }] } : {}
}

/** In the words of a caller of this dialect, and in its order, which is part of the cached prefix. */
function ownTools(request: UpstreamRequestBody, exact: Exact): Pick<GenerateContentBody, 'tools' | 'toolConfig'> {
  const { functions, search } = offeredTools(request)
  const declared = new Map(exact.functions?.map(each => [each.name, each]))
  const tools: JsonObject[] = []
  for (const tool of request.tools ?? []) {
    const extra = extraOf(tool, true)
    if (tool.type === 'function' && functions.includes(tool as FunctionTool)) {
      const words = declared.get((tool as FunctionTool).name) ?? { ...declaration(tool as FunctionTool) }
      const last = tools.at(-1)?.['functionDeclarations'] as JsonObject[] | undefined
      if (last) last.push(words)
      else tools.push({ functionDeclarations: [words] })
    } else if (tool.type === 'web_search') {
      if (search) tools.push(extra ?? { googleSearch: {} })
    } else if (tool.type === 'vendor' && extra) tools.push(extra)
  }
  const config = functions.length > 0 ? configFor(request) : undefined
  const calling = request.tool_choice === 'none' ? { mode: 'NONE' } : (config ?? {})
  const functionCallingConfig = {
    ...calling,
    ...(functions.length > 0 && request.tool_choice !== undefined && exact.functionCallingConfig),
  }
  return {
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(functionCallingConfig).length > 0 && tools.length > 0 && { toolConfig: { functionCallingConfig } }),
  }
}

/** The tools to offer. A choice that allows only the search leaves out the functions. */
export function offeredTools(request: UpstreamRequestBody): {
  readonly functions: readonly FunctionTool[]
  readonly search: boolean
} {
  const { tools = [], tool_choice: choice } = request
  const searchAlone = isSearchAlone(choice)
  const functions = searchAlone ? [] : tools.filter(tool => tool.type === 'function')
  // With this setting, newer models combine them.
  const combines = fieldsOf(request, 'toolConfig')['includeServerSideToolInvocations'] === true
  const search = choice !== 'none' && (functions.length === 0 || combines) && tools.some(({ type }) => type === 'web_search')
  return { functions, search }
}

function isSearchAlone(choice: UpstreamRequestBody['tool_choice']): boolean {
  if (typeof choice !== 'object') return false
  if (choice.type !== 'allowed_tools') return choice.type === 'web_search'
  return (choice.tools?.length ?? 0) > 0 && choice.tools!.every(({ type }) => type === 'web_search')
}

function declaration({ name, description = '', parameters }: FunctionTool): FunctionDeclaration {
  return {
    name,
    description,
    ...(parameters && { parametersJsonSchema: enforceableSchema({ type: 'object', ...(parameters as JsonObject) }) }),
  }
}

/** "Function calling", modes: a list of allowed names needs the mode `ANY` (a call is forced) or `VALIDATED`. */
function configFor({ tool_choice: choice }: UpstreamRequestBody): FunctionCallingConfig | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: 'ANY' }
  if (choice.type !== 'allowed_tools') return { mode: 'ANY', ...(choice.name !== undefined && { allowedFunctionNames: [choice.name] }) }
  const allowedFunctionNames = choice.tools?.flatMap(({ type, name }) => (type === 'function' && name !== undefined ? [name] : [])) ?? []
  // A list without a name would allow all.
  if (choice.mode === 'none' || allowedFunctionNames.length === 0) return { mode: 'NONE' }
  return { mode: choice.mode === 'required' ? 'ANY' : 'VALIDATED', allowedFunctionNames }
}
