import { allowedKeys, offerAllowedOnly, suppressOtherCalls } from './allowed-tools.ts'
import { leaveOutBuiltInTools } from './built-in-tools.ts'
import type { Draft } from './draft.ts'
import { lowerToFunctions } from './function-tools.ts'
import { ownTools } from './own-tools.ts'

/** Offers an endpoint the tools that it can be offered, in the form that it knows, and holds its answer to the choice. */
export function lowerTools(draft: Draft): void {
  leaveOutBuiltInTools(draft)
  const own = ownTools(draft.request.tools)
  const allowed = allowedKeys(draft.request.tool_choice, own)
  if (allowed) offerAllowedOnly(draft, allowed)
  lowerToFunctions(draft, own)
  if (allowed) draft.raises.push(suppressOtherCalls(own, allowed))
}
