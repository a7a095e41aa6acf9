import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { policyRefusal } from '../foundation/errors.ts'
import { guarded, type OpenGuard } from './input-guards.ts'
import { checkedClearance } from './returned.ts'

/** The endpoints that every guardrail allows for this request. If a guardrail leaves none, throws its refusal. */
export function clearedEndpoints(
  endpoints: readonly Endpoint[],
  request: GenerationRequest,
  guards: readonly OpenGuard[],
  context: RunContext,
): readonly Endpoint[] {
  let left = endpoints
  for (const guard of guards) {
    const { session, plugin } = guard
    if (!session.route) continue
    const isClear = (endpoint: Endpoint): boolean => checkedClearance(session.route!(endpoint, request), plugin)
    left = left.filter(endpoint => guarded(guard, context, () => isClear(endpoint)) ?? true)
    if (left.length === 0) throw session.refusal?.() ?? policyRefusal('The policy of this API key leaves no provider for this model.')
  }
  return left
}
