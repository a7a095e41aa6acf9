import type { Item } from '../contracts/items.ts'
import type { Maybe } from '../foundation/json.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Candidate, PlanScope } from '../routing/plan.ts'
import type { RunServices } from './generation.ts'
import { applyInputGuards, openGuards, type OpenGuard } from '../guards/input-guards.ts'
import type { Extended } from './history.ts'
import { checkMediaAddresses } from './media-addresses.ts'

/** A request that passed every check: history added, input guards applied, candidates chosen. */
export interface Prepared {
  readonly request: GenerationRequest
  /** The items that this request adds to the conversation. */
  readonly added: readonly Item[]
  readonly guards: readonly OpenGuard[]
  readonly candidates: readonly Candidate[]
}

/**
 * Runs every check that can refuse a request before limits are reserved and anything is sent. Throws 400, 402, 403, 422 or 503. At once,
 * unless there is a guardrail to ask, a conversation to look up, or input to count.
 */
export function prepare(
  services: RunServices,
  asked: GenerationRequest,
  context: RunContext,
  plan: Pick<PlanScope, 'record' | 'dryRun'>,
): Maybe<Prepared> {
  const { policies, history, guardrails, planner, mediaHosts } = services
  const { caller } = context
  policies.check(caller.policy)
  checkMediaAddresses(asked.input, mediaHosts)
  const guards = openGuards(guardrails, context)
  const extended = history.extend(asked, caller)
  const scope: PlanScope = { record: plan.record, dryRun: plan.dryRun ?? false, context, guards }
  if (guards.length > 0 || extended instanceof Promise) return guarded(services, extended, scope)
  const { request, added } = extended
  const planned = planner.plan(request, scope)
  const prepared = (candidates: readonly Candidate[]): Prepared => ({ request, added, guards, candidates })
  return planned instanceof Promise ? planned.then(prepared) : prepared(planned)
}

async function guarded({ planner }: RunServices, extending: Maybe<Extended>, scope: PlanScope): Promise<Prepared> {
  const { guards, context } = scope
  const { request, added } = await extending
  const checked = await applyInputGuards(request, guards, context)
  return { request: checked, added, guards, candidates: await planner.plan(checked, scope) }
}
