import type { Item } from '../contracts/items.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Candidate } from '../routing/plan.ts'
import type { RunServices } from './generation.ts'
import { applyInputGuards, openGuards, type OpenGuard } from '../guards/input-guards.ts'
import { checkMediaAddresses } from './media-addresses.ts'

/** A request that may be answered: with its history, through the input guards, and with the endpoints that may see it. */
export interface Prepared {
  readonly request: GenerationRequest
  /** What this request brought to the conversation. */
  readonly added: readonly Item[]
  readonly guards: readonly OpenGuard[]
  readonly candidates: readonly Candidate[]
}

/** Everything that can refuse a request before it is held against limits or sent anywhere: 400, 403, 422, 503. */
export async function prepare(services: RunServices, asked: GenerationRequest, context: RunContext): Promise<Prepared> {
  const { policies, history, guardrails, planner, mediaHosts } = services
  const { caller } = context
  policies.check(caller.policy)
  checkMediaAddresses(asked.input, mediaHosts)
  const guards = openGuards(guardrails, context)
  const extended = await history.extend(asked, caller)
  const request = await applyInputGuards(extended.request, guards, context)
  const candidates = planner.plan(request, context, guards)
  return { request, added: extended.added, guards, candidates }
}
