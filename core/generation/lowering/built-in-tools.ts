import type { Capabilities } from '../../contracts/catalog.ts'
import type { ToolDefinition } from '../../contracts/request.ts'
import { invalidRequest } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'
import { agentToolOf, hasAgentTool } from '../agent-tools/table.ts'
import type { Draft } from './draft.ts'

/**
 * Leaves out tools that the endpoint neither has nor can call as functions, unless the choice forces them: docs/protocol/tools.md#definitions.
 * That includes types that core does not know.
 */
export function leaveOutBuiltInTools({ request, endpoint, warnings }: Draft): void {
  const { capabilities } = endpoint
  if (!request.tools || !request.tools.some(tool => isOut(tool, capabilities))) return
  const kept = request.tools.filter(tool => !isOut(tool, capabilities))
  const dropped = request.tools.filter(tool => isOut(tool, capabilities)).map(({ type }) => type)
  const choice = request.tool_choice
  if (typeof choice === 'object' && dropped.includes(choice.type as never))
    throw invalidRequest(wording`tool_choice asks for "${choice.type}", which this model cannot run here.`, 'tool_choice')
  if (choice === 'required' && kept.length === 0)
    throw invalidRequest(wording`tool_choice is "required", and this model can run none of: ${dropped.join(', ')}.`, 'tool_choice')
  for (const type of dropped) warnings.push({ param: 'tools', message: `${type} is not available on this model and was left out` })
  request.tools = kept
}

function isOut(tool: ToolDefinition, capabilities: Capabilities): boolean {
  switch (tool.type) {
    case 'function':
    case 'custom':
    case 'namespace':
    case 'vendor':
      return false
    case 'web_search':
      // Only upstreams that run built-in tools can search without fetching from the web.
      return !capabilities.builtInTools && !(capabilities.webSearch && tool.external_web_access !== false)
    default: {
      const row = agentToolOf(tool)
      if (!row) return !capabilities.builtInTools
      return !hasAgentTool(capabilities, row.type) && row.functionOf(tool) === undefined
    }
  }
}
