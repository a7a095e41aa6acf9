import type { Endpoint } from '../contracts/catalog.ts'
import type { RefusedRoute } from '../contracts/guardrail.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { policyRefusal, type GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import { guarded, refused, type OpenGuard } from './input-guards.ts'
import { checkedClearance, checkedRefusal } from './returned.ts'

/** The endpoints that every guardrail allows for this request. */
export function clearedEndpoints(
  endpoints: readonly Endpoint[],
  request: GenerationRequest,
  guards: readonly OpenGuard[],
  context: RunContext,
): readonly Endpoint[] {
  let left = endpoints
  for (const guard of guards) {
    if (guard.session.route) left = left.filter(endpoint => isCleared(endpoint, request, guard, context))
    if (left.length === 0) return left
  }
  return left
}

/** The reason why a request is refused. */
export interface Refused extends RefusedRoute {
  /** Endpoints that would serve the request if it named them. */
  readonly others: readonly Endpoint[]
}

/**
 * The error for the caller when the guardrails leave none of the `rejected` endpoints. If a guardrail allows no endpoint at all, its error
 * counts: those of the others would not help the caller.
 */
export function routeRefusal(
  { rejected, others, passedOver }: Refused,
  request: GenerationRequest,
  guards: readonly OpenGuard[],
  context: RunContext,
): GatewayError {
  const all = [...rejected, ...others, ...passedOver.map(({ endpoint }) => endpoint)]
  const allowed = guards
    .filter(({ session }) => session.route)
    .map(guard => ({ guard, endpoints: new Set(all.filter(endpoint => isCleared(endpoint, request, guard, context))) }))
  let left = rejected
  let before = rejected
  const last = allowed.find(({ endpoints }) => {
    before = left
    left = left.filter(endpoint => endpoints.has(endpoint))
    return left.length === 0
  })!
  const refusing = last.endpoints.size === 0 ? last : (allowed.find(({ endpoints }) => endpoints.size === 0) ?? last)
  const isExcluded = (endpoint: Endpoint): boolean => !allowed.every(each => each === refusing || each.endpoints.has(endpoint))
  const concerned = refusing === last ? before : rejected
  const excluded = [...rejected.filter(endpoint => !concerned.includes(endpoint)), ...others.filter(isExcluded)]
  const own = refusalOf(
    refusing.guard,
    context,
    others.filter(endpoint => !isExcluded(endpoint)),
    {
      rejected: concerned,
      passedOver: [
        ...passedOver.map(each => (isExcluded(each.endpoint) ? { ...each, reason: 'policy' as const } : each)),
        ...excluded.map(endpoint => ({ endpoint, reason: 'policy' as const })),
      ],
    },
  )
  return refused(refusing.guard, context, own)
}

/** True if a guardrail lets an endpoint see a request. */
export function isCleared(endpoint: Endpoint, request: GenerationRequest, guard: OpenGuard, context: RunContext): boolean {
  const { session, plugin } = guard
  return !session.route || (guarded(guard, context, () => checkedClearance(session.route!(endpoint, request), plugin)) ?? true)
}

/** If the guardrail's own refusal fails, the request is refused anyway. */
function refusalOf(guard: OpenGuard, context: RunContext, others: readonly Endpoint[], route: RefusedRoute): GatewayError {
  const { session, plugin } = guard
  const own = session.refusal && guarded(guard, context, () => checkedRefusal(session.refusal!(others, route), plugin))
  return own ?? policyRefusal(wording`The policy of this API key leaves no provider for this model.`)
}
