import { allowedKeys, offerAllowedOnly, suppressOtherCalls } from './allowed-tools.ts'
import { leaveOutBuiltInTools } from './built-in-tools.ts'
import type { Draft } from './draft.ts'
import { lowerToFunctions } from './function-tools.ts'
import { ownTools, toolsMeant, type OwnTool } from './own-tools.ts'

/** Offers an endpoint the tools that it supports, in a form that it supports, and enforces `tool_choice` on the answer. */
export function lowerTools(draft: Draft): void {
  leaveOutBuiltInTools(draft)
  const own = ownTools(draft.request.tools)
  spreadChoice(draft, own)
  const allowed = allowedKeys(draft.request.tool_choice, own)
  if (allowed) offerAllowedOnly(draft, allowed)
  lowerToFunctions(draft, own)
  if (allowed) draft.raises.push(suppressOtherCalls(own, allowed))
}

/** True if a choice matches several tools once namespaces are flattened. */
function spreadChoice({ request, endpoint }: Draft, own: readonly OwnTool[]): void {
  const choice = request.tool_choice
  if (typeof choice !== 'object' || choice.type === 'allowed_tools' || endpoint.capabilities.namespaceTools) return
  if (toolsMeant(choice, own).length > 1) request.tool_choice = { type: 'allowed_tools', mode: 'required', tools: [choice] }
}
