import type { Item } from '../contracts/items.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Candidate, PlanScope } from '../routing/plan.ts'
import type { RunServices } from './generation.ts'
import type { OpenTools } from './tools/open-tools.ts'
import { applyInputGuards, openGuards, type OpenGuard } from '../guards/input-guards.ts'
import type { Extended } from './history.ts'
import { checkMediaAddresses } from './media-addresses.ts'

/** A request that passed every check: history added, input guards applied, candidates chosen. */
export interface Prepared {
  readonly request: GenerationRequest
  /** The same before input guards and tools changed it. */
  readonly extended: GenerationRequest
  /** The gateway's tools that it may use. */
  readonly tools: OpenTools | undefined
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
  const { policies, history, guardrails, mediaHosts } = services
  const { caller } = context
  policies.check(caller.policy)
  checkMediaAddresses(asked.input, mediaHosts)
  const guards = openGuards(guardrails, context)
  if (guards.length > 0 && !Object.isFrozen(asked)) freezeDeeply(asked)
  const extended = history.extend(asked, caller)
  const scope: PlanScope = { record: plan.record, dryRun: plan.dryRun ?? false, context, guards }
  if (guards.length > 0 || isPending(extended)) return guarded(services, extended, scope)
  return planned(services, extended, extended.request, scope)
}

async function guarded(services: RunServices, extending: Maybe<Extended>, scope: PlanScope): Promise<Prepared> {
  const extended = await extending
  return await planned(services, extended, await applyInputGuards(extended.request, scope.guards, scope.context), scope)
}

function planned(
  { planner, tools: loaded }: RunServices,
  { request: extended, added }: Extended,
  checked: GenerationRequest,
  scope: PlanScope,
): Maybe<Prepared> {
  const { guards, context } = scope
  const request = loaded.readable(checked)
  const tools = loaded.open(checked, context)
  const planning = planner.plan(request, tools ? { ...scope, servable: endpoints => tools.servable(endpoints) } : scope)
  const prepared = (candidates: readonly Candidate[]): Prepared => ({ request, extended, tools, added, guards, candidates })
  return isPending(planning) ? planning.then(prepared) : prepared(planning)
}
