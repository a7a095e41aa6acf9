import type { FunctionTool, JsonObject, UpstreamRequestBody } from '../../../core/index.ts'
import { enforceableSchema } from './schema.ts'
import type { FunctionCallingConfig, FunctionDeclaration, GenerateContentBody } from './wire.ts'

/**
 * The caller's tools as the vendor takes them. Its own search cannot be combined with functions: these take priority, unless the
 * choice leaves nothing but the search (spec.md, "Web search tool", rule 5).
 */
export function toolsFor(request: UpstreamRequestBody): Pick<GenerateContentBody, 'tools' | 'toolConfig'> {
  const { functions, search } = offeredTools(request)
  if (functions.length > 0) {
    const config = configFor(request, functions)
    return {
      tools: [{ functionDeclarations: functions.map(declaration) }],
      ...(config && { toolConfig: { functionCallingConfig: config } }),
    }
  }
  return search ? { tools: [{ googleSearch: {} }] } : {}
}

/** What of the caller's tools is offered. */
export function offeredTools({ tools = [], tool_choice: choice }: UpstreamRequestBody): {
  readonly functions: readonly FunctionTool[]
  readonly search: boolean
} {
  const allowed = allowedOf(choice)
  const functions = (tools.filter(({ type }) => type === 'function') as readonly FunctionTool[]).filter(
    ({ name }) => allowed?.has(name) ?? true,
  )
  const search = choice !== 'none' && tools.some(({ type }) => type === 'web_search') && (allowed?.has(webSearch) ?? true)
  return { functions, search: search && functions.length === 0 }
}

/** Cannot be the name of a function: those have no colon. */
const webSearch = 'tool:web_search'

/** The names that the choice leaves; undefined where it leaves all. */
function allowedOf(choice: UpstreamRequestBody['tool_choice']): ReadonlySet<string> | undefined {
  if (typeof choice !== 'object') return undefined
  if (choice.type === 'web_search') return new Set([webSearch])
  if (choice.type !== 'allowed_tools') return undefined
  return new Set(choice.tools?.flatMap(({ type, name }) => (type === 'web_search' ? webSearch : (name ?? []))))
}

function declaration({ name, description = '', parameters }: FunctionTool): FunctionDeclaration {
  return {
    name,
    description,
    ...(parameters && { parametersJsonSchema: enforceableSchema({ type: 'object', ...(parameters as JsonObject) }) }),
  }
}

/** Names may be allowed only where a call is forced, so those that are not are not declared either. */
function configFor({ tool_choice: choice }: UpstreamRequestBody, functions: readonly FunctionTool[]): FunctionCallingConfig | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: 'ANY' }
  if (choice.type !== 'allowed_tools') return { mode: 'ANY', ...(choice.name !== undefined && { allowedFunctionNames: [choice.name] }) }
  if (choice.mode === 'required') return { mode: 'ANY', allowedFunctionNames: functions.map(({ name }) => name) }
  return choice.mode === 'none' ? { mode: 'NONE' } : undefined
}
