import type { Item } from '../contracts/items.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Candidate } from '../routing/plan.ts'
import type { RunServices } from './generation.ts'
import { applyInputGuards, openGuards, type OpenGuard } from '../guards/input-guards.ts'
import { checkMediaAddresses } from './media-addresses.ts'

/** A request that passed every check: history added, input guards applied, candidates chosen. */
export interface Prepared {
  readonly request: GenerationRequest
  /** The items that this request adds to the conversation. */
  readonly added: readonly Item[]
  readonly guards: readonly OpenGuard[]
  readonly candidates: readonly Candidate[]
}

/** Runs every check that can refuse a request before limits are reserved and anything is sent. Throws 400, 403, 422 or 503. */
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
