import { bringsTools, isDeferred, withDiscovered } from '../agent-tools/discovered-tools.ts'
import { hasAgentTool } from '../agent-tools/table.ts'
import { allowedKeys, offerAllowedOnly, suppressOtherCalls } from './allowed-tools.ts'
import { leaveOutBuiltInTools } from './built-in-tools.ts'
import type { Draft } from './draft.ts'
import { lowerToFunctions } from './function-tools.ts'
import { callableTools, isNamespace, toolsMeant, type OwnTool } from './own-tools.ts'

/** Offers an endpoint the tools that it supports, in a form that it supports, and enforces `tool_choice` on the answer. */
export function lowerTools(draft: Draft): void {
  offerDiscovered(draft)
  leaveOutBuiltInTools(draft)
  const own = callableTools(draft.request.tools, draft.endpoint.capabilities)
  spreadChoice(draft, own)
  const allowed = allowedKeys(draft.request.tool_choice, own)
  if (allowed) offerAllowedOnly(draft, allowed)
  lowerToFunctions(draft, own)
  if (allowed) draft.raises.push(suppressOtherCalls(own, allowed))
}

/** docs/protocol/tools.md#tool-search: an endpoint that cannot search for tools gets those that were found. */
function offerDiscovered({ request, endpoint }: Draft): void {
  if (hasAgentTool(endpoint.capabilities, 'tool_search')) return
  const { tools = [], input, tool_choice: choice } = request
  const areDeferred = tools.some(tool => isDeferred(tool) || (isNamespace(tool) && tool.tools.some(isDeferred)))
  if (!areDeferred && !input.some(bringsTools)) return
  const offered = withDiscovered(tools, input, choice)
  if (offered.length > 0) request.tools = offered
  else delete request.tools
}

/** True if a choice matches several tools once namespaces are flattened. */
function spreadChoice({ request, endpoint }: Draft, own: readonly OwnTool[]): void {
  const choice = request.tool_choice
  if (typeof choice !== 'object' || choice.type === 'allowed_tools' || endpoint.capabilities.namespaceTools) return
  if (toolsMeant(choice, own).length > 1) request.tool_choice = { type: 'allowed_tools', mode: 'required', tools: [choice] }
}
