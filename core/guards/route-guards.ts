import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { policyRefusal, type GatewayError } from '../foundation/errors.ts'
import { guarded, refused, type OpenGuard } from './input-guards.ts'
import { checkedClearance, checkedRefusal } from './returned.ts'

/**
 * The endpoints that every guardrail allows for this request. If a guardrail leaves none, throws its refusal. `others` finds endpoints that
 * the caller could have named instead.
 */
export function clearedEndpoints(
  endpoints: readonly Endpoint[],
  request: GenerationRequest,
  guards: readonly OpenGuard[],
  context: RunContext,
  others: () => readonly Endpoint[],
): readonly Endpoint[] {
  let left = endpoints
  for (const guard of guards) {
    if (!guard.session.route) continue
    left = left.filter(endpoint => isCleared(endpoint, request, guard, context))
    if (left.length > 0) continue
    const cleared = others().filter(other => guards.every(each => each === guard || isCleared(other, request, each, context)))
    throw refused(guard, context, refusalOf(guard, context, cleared))
  }
  return left
}

/** Whether a guardrail lets an endpoint see a request. */
export function isCleared(endpoint: Endpoint, request: GenerationRequest, guard: OpenGuard, context: RunContext): boolean {
  const { session, plugin } = guard
  return !session.route || (guarded(guard, context, () => checkedClearance(session.route!(endpoint, request), plugin)) ?? true)
}

/** If the guardrail's own refusal fails, the request is refused all the same. */
function refusalOf(guard: OpenGuard, context: RunContext, others: readonly Endpoint[]): GatewayError {
  const { session, plugin } = guard
  const own = session.refusal && guarded(guard, context, () => checkedRefusal(session.refusal!(others), plugin))
  return own ?? policyRefusal('The policy of this API key leaves no provider for this model.')
}
