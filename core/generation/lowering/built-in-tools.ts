import { foreignToolTypes, type ToolDefinition } from '../../contracts/request.ts'
import { invalidRequest } from '../../foundation/errors.ts'
import type { Draft } from './draft.ts'

/** Leaves out built-in tools that the endpoint cannot run, unless the choice forces them: docs/protocol/tools.md#definitions. */
export function leaveOutBuiltInTools({ request, endpoint, warnings }: Draft): void {
  const { builtInTools, webSearch } = endpoint.capabilities
  if (!request.tools || builtInTools) return
  // Only upstreams that run built-in tools can search without fetching from the web.
  const isOut = (tool: ToolDefinition): boolean =>
    builtIn.has(tool.type) && !(tool.type === 'web_search' && webSearch && tool.external_web_access !== false)
  const kept = request.tools.filter(tool => !isOut(tool))
  if (kept.length === request.tools.length) return
  const dropped = request.tools.filter(isOut).map(({ type }) => type)
  const choice = request.tool_choice
  if (typeof choice === 'object' && dropped.includes(choice.type as never))
    throw invalidRequest(`tool_choice asks for "${choice.type}", which this model cannot run here.`, 'tool_choice')
  if (choice === 'required' && kept.length === 0)
    throw invalidRequest(`tool_choice is "required", and this model can run none of: ${dropped.join(', ')}.`, 'tool_choice')
  for (const type of dropped) warnings.push({ param: 'tools', message: `${type} is not available on this model and was left out` })
  request.tools = kept
}

const builtIn: ReadonlySet<string> = new Set(['web_search', ...foreignToolTypes])
