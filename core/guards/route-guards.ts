import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { policyRefusal, type GatewayError } from '../foundation/errors.ts'
import { guarded, refused, type OpenGuard } from './input-guards.ts'
import { checkedClearance, checkedRefusal } from './returned.ts'

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
    if (left.length === 0) throw refused(guard, context, refusalOf(guard, context))
  }
  return left
}

/** If the guardrail's own refusal fails, the request is refused all the same. */
function refusalOf(guard: OpenGuard, context: RunContext): GatewayError {
  const { session, plugin } = guard
  const own = session.refusal && guarded(guard, context, () => checkedRefusal(session.refusal!(), plugin))
  return own ?? policyRefusal('The policy of this API key leaves no provider for this model.')
}
