import pTimeout from 'p-timeout'
import type { Guardrail, GuardSession, GuardVerdict } from '../contracts/guardrail.ts'
import type { DecisionRequest } from '../contracts/decision.ts'
import type { Maybe } from '../foundation/json.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError, PluginError, policyRefusal } from '../foundation/errors.ts'
import { describePluginError } from '../foundation/logger.ts'
import type { Registry } from '../framework/registry.ts'

export interface LoadedGuard {
  readonly guardrail: Guardrail
  /** Whose it is. */
  readonly plugin: string
}

/** A guardrail that has something to do for this request. */
export interface OpenGuard extends LoadedGuard {
  readonly session: GuardSession
}

/** Asked once, when everything is loaded. */
export function loadedGuards(registry: Registry<Guardrail>): readonly LoadedGuard[] {
  return registry.values().map(guardrail => ({ guardrail, plugin: registry.pluginOf(guardrail.name)! }))
}

/** Asks every guardrail once whether the caller's policy concerns it; those that it does not are gone from here on. */
export function openGuards(guards: readonly LoadedGuard[], context: RunContext): readonly OpenGuard[] {
  const open: OpenGuard[] = []
  for (const guard of guards) {
    const { guardrail, plugin } = guard
    const session = guarded(guard, context, () => guardrail.open(context))
    if (!session) continue
    checkSight(guardrail, context)
    open.push({ guardrail, plugin, session })
  }
  return open
}

export async function applyInputGuards(
  request: GenerationRequest,
  guards: readonly OpenGuard[],
  context: RunContext,
): Promise<GenerationRequest> {
  if (!guards.some(({ session }) => session.input)) return request
  return await throughGuards(withoutUnknown(request), guards, context, (session, current) => session.input?.(current))
}

/** A guard that checks generations and cannot read decisions refuses them. */
export async function applyDecisionGuards(
  request: DecisionRequest,
  guards: readonly OpenGuard[],
  context: RunContext,
): Promise<DecisionRequest> {
  for (const { guardrail, session } of guards)
    if ((session.input || session.route) && !session.decision)
      throw policyRefusal(`The guardrail "${guardrail.name}" has to check what this API key sends, and does not know decisions.`)
  return await throughGuards(request, guards, context, (session, current) => session.decision?.(current))
}

/** What the guards make of it, one after the other; those that do not look at it have no verdict. */
async function throughGuards<R>(
  request: R,
  guards: readonly OpenGuard[],
  context: RunContext,
  look: (session: GuardSession, current: R) => Maybe<GuardVerdict<R>> | undefined,
): Promise<R> {
  let current = request
  for (const guard of guards) {
    const verdict = await ask(guard, context, () => look(guard.session, current))
    if (verdict && 'refuse' in verdict) throw verdict.refuse
    if (verdict && 'replace' in verdict) current = verdict.replace
  }
  return current
}

/** What the protocol does not know, no guardrail can read: it goes nowhere. */
function withoutUnknown(request: GenerationRequest): GenerationRequest {
  const { extra: _, ...known } = request
  return known
}

/** Zero retention and HIPAA cover everything that sees content: docs/protocol/keys-and-policy.md#policy-fields. */
function checkSight({ name, seesContent }: Guardrail, { caller: { policy } }: RunContext): void {
  if (seesContent === 'local') return
  if (policy.zdr.value && !seesContent.zdr)
    throw policyRefusal(`The guardrail "${name}" sees content and has no zero-data-retention policy.`)
  if (policy.hipaa.value && !seesContent.hipaa) throw policyRefusal(`The guardrail "${name}" sees content and has no HIPAA agreement.`)
}

async function ask<V>(guard: LoadedGuard, context: RunContext, run: () => Maybe<V> | undefined): Promise<V | undefined> {
  const { plugin, guardrail } = guard
  const late = (): never => {
    throw new PluginError(plugin, `took longer than ${guardrail.timeoutMs} ms`)
  }
  try {
    return await pTimeout(Promise.resolve(run()), { milliseconds: guardrail.timeoutMs, fallback: late })
  } catch (error) {
    return failed(guard, context, error)
  }
}

function guarded<T>(guard: LoadedGuard, context: RunContext, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    return failed(guard, context, error)
  }
}

/** Undefined where the guardrail says that its failure allows. */
export function failed({ guardrail: { name, onFailure }, plugin }: LoadedGuard, context: RunContext, error: unknown): undefined {
  if (error instanceof GatewayError) throw error
  const { id, log, caller } = context
  // With logging off, nothing of a prompt or an answer may be written anywhere.
  const described = describePluginError(error, !caller.policy.logging.value)
  log.error('a guardrail failed', { guardrail: name, plugin, request: id, onFailure, ...described })
  if (onFailure === 'refuse') {
    throw new GatewayError({
      status: 503,
      type: 'server_error',
      code: 'server_error',
      message: `The guardrail "${name}" could not check this request, and its failure refuses it. Try again.`,
      cause: error,
    })
  }
}
