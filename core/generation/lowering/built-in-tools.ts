import { foreignToolTypes, type ToolDefinition } from '../../contracts/request.ts'
import { invalidRequest } from '../../foundation/errors.ts'
import type { Draft } from './draft.ts'

/**
 * Drops built-in tools that this endpoint cannot run, and throws a 400 if `tool_choice` requires one: docs/protocol/tools.md#definitions.
 */
export function leaveOutBuiltInTools({ request, dialect, warnings }: Draft): void {
  if (!request.tools || dialect === 'openai-responses') return
  const kept = request.tools.filter(tool => !isBuiltIn(tool))
  if (kept.length === request.tools.length) return
  const dropped = request.tools.filter(isBuiltIn).map(({ type }) => type)
  const choice = request.tool_choice
  if (typeof choice === 'object' && dropped.includes(choice.type as never))
    throw invalidRequest(`tool_choice asks for "${choice.type}", which this model cannot run here.`, 'tool_choice')
  if (choice === 'required' && kept.length === 0)
    throw invalidRequest(`tool_choice is "required", and this model can run none of: ${dropped.join(', ')}.`, 'tool_choice')
  for (const type of dropped) warnings.push({ param: 'tools', message: `${type} is not available on this model and was left out` })
  request.tools = kept
}

const builtIn: ReadonlySet<string> = new Set(['web_search', ...foreignToolTypes])

function isBuiltIn({ type }: ToolDefinition): boolean {
  return builtIn.has(type)
}
