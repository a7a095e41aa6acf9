import pTimeout from 'p-timeout'
import { partsOf } from '../contracts/feature.ts'
import type { ObservedCall } from '../contracts/call-observer.ts'
import type { Guardrail, GuardSession } from '../contracts/guardrail.ts'
import type { FailureReason } from '../contracts/failure-reason.ts'
import type { DecisionRequest } from '../contracts/decision.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError, invalidRequest, PluginError, policyRefusal } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { describePluginError } from '../foundation/logger.ts'
import type { Registry } from '../framework/registry.ts'
import { checkSight } from './check-sight.ts'
import { decisionProblem, requestProblem } from './replaced-request.ts'
import { withoutExtras } from './without-extras.ts'
import { checkedSession, checkedVerdict } from './returned.ts'
import { WatchedGuard } from './watched-guard.ts'

export interface LoadedGuard {
  readonly guardrail: Guardrail
  /** The plugin that added it. */
  readonly plugin: string
  /** Set if observers follow the call. */
  readonly watched?: WatchedGuard | undefined
}

/** A guardrail that applies to this request. */
export interface OpenGuard extends LoadedGuard {
  readonly session: GuardSession
}

/**
 * In the order in which they see requests: guardrails that send content elsewhere come last, so that they see only what the others leave.
 */
export function loadedGuards(registry: Registry<Guardrail>): readonly LoadedGuard[] {
  const guards = registry.values().map(guardrail => ({ guardrail, plugin: registry.pluginOf(guardrail.name)! }))
  return [...guards.filter(isLocal), ...guards.filter(guard => !isLocal(guard))]
}

function isLocal({ guardrail }: LoadedGuard): boolean {
  return guardrail.seesContent === 'local'
}

/** Opens a session with every guardrail. Those that skip the request are left out. Refuses a key that names one that is not loaded. */
export function openGuards(guards: readonly LoadedGuard[], context: RunContext, observed?: ObservedCall): readonly OpenGuard[] {
  const { guardrails: chosen } = context.caller.key
  const missing = chosen?.find(name => !guards.some(({ guardrail }) => guardrail.name === name))
  if (missing !== undefined)
    throw policyRefusal(
      wording`This API key names the guardrail "${own(missing)}", which is not loaded. Load it, or remove it from the key.`,
      'key',
    )
  let open: OpenGuard[] | undefined
  for (const { guardrail, plugin } of guards) {
    if (guardrail.applies === 'key' && !chosen?.includes(guardrail.name)) continue
    const watched = observed && new WatchedGuard(guardrail.name, observed)
    const session = sessionOf({ guardrail, plugin, watched }, context)
    if (!session) continue
    checkSight('guardrail', guardrail.name, guardrail.seesContent, context.caller.policy)
    ;(open ??= []).push({ guardrail, plugin, session, watched })
  }
  return open ?? none
}

const none: readonly OpenGuard[] = []

function sessionOf(guard: LoadedGuard, context: RunContext): GuardSession | undefined {
  try {
    return checkedSession(guard.guardrail.open(context), guard.plugin)
  } catch (error) {
    return failed(guard, context, error)
  }
}

export async function applyInputGuards(
  request: GenerationRequest,
  guards: readonly OpenGuard[],
  context: RunContext,
): Promise<GenerationRequest> {
  const mayLook = ({ guardrail: { name, seesContent } }: OpenGuard, current: GenerationRequest): void =>
    checkSight('guardrail', name, seesContent, context.caller.policy, current)
  const isAsked = guards.some(({ session }) => session.input || session.route)
  const checked = isAsked
    ? await throughGuards(withoutUnknown(request), guards, context, 'input', requestProblem, mayLook)
    : guards.some(readsAnswers)
      ? withoutUnknown(request)
      : request
  // The others see the answer.
  for (const guard of guards) if (!guard.session.input) mayLook(guard, checked)
  return checked
}

/** True if a guardrail has to see all content of the request, or of its answer. */
export function readsContent(guard: OpenGuard): boolean {
  return guard.session.input !== undefined || readsAnswers(guard)
}

/** Without extras in the request, the answer has none. */
export function readsAnswers({ session }: OpenGuard): boolean {
  return session.output !== undefined || session.item !== undefined
}

/** Refuses the decision if a guardrail checks generations but has no `decision` function, because it cannot check this request. */
export async function applyDecisionGuards(
  request: DecisionRequest,
  guards: readonly OpenGuard[],
  context: RunContext,
): Promise<DecisionRequest> {
  for (const { guardrail, session } of guards)
    if ((session.input || session.route) && !session.decision)
      throw policyRefusal(
        wording`The guardrail "${own(guardrail.name)}" must check all requests of this API key, but it does not support decisions.`,
      ).because(guardrailReason)
  if (!guards.some(({ session }) => session.decision)) return request
  const { extra: _, ...known } = request
  const seen = await throughGuards<DecisionRequest>(freezeDeeply(known), guards, context, 'decision', decisionProblem)
  // A guardrail that does not know the form must not turn images into text.
  return seen.form === request.form ? seen : freezeDeeply({ ...seen, ...(request.form && { form: request.form }) })
}

/** Runs the request through every guardrail that has this function. Each one gets the result of the previous one. */
async function throughGuards<R>(
  request: R,
  guards: readonly OpenGuard[],
  context: RunContext,
  hook: 'input' | 'decision',
  problemOf: (value: unknown) => string | undefined,
  mayLook?: (guard: OpenGuard, request: R) => void,
): Promise<R> {
  let current = request
  for (const guard of guards) {
    const { session, plugin, watched } = guard
    if (!session[hook]) continue
    mayLook?.(guard, current)
    const look = session as { [_ in typeof hook]: (request: R, signal: AbortSignal) => Maybe<unknown> }
    watched?.begins('input')
    try {
      const verdict = await askGuard(guard, context, async signal =>
        checkedVerdict<R>(await look[hook](current, signal), plugin, hook, problemOf),
      )
      if (verdict) watched?.ends('replace' in verdict)
      // The guardrail failed, and its `onFailure` is `allow`.
      if (!verdict) continue
      if ('refuse' in verdict) throw refused(guard, context, verdict.refuse)
      if ('replace' in verdict) current = freezeDeeply(verdict.replace)
    } finally {
      watched?.tells()
    }
  }
  return current
}

/** Drops members that core does not know, because guardrails cannot check them. Refuses content that they could not check. */
function withoutUnknown(request: GenerationRequest): GenerationRequest {
  if (!request.extra) return freezeDeeply(request)
  const { request: known, losses } = withoutExtras(request)
  const [unchecked] = request.input.some(item => item.type === 'vendor' || partsOf(item).some(({ type }) => type === 'vendor'))
    ? losses.within.input
    : []
  if (unchecked !== undefined)
    throw invalidRequest(
      wording`The guardrails of this API key cannot check content of type "${unchecked}". Leave it out.`,
      'input',
    ).because(guardrailReason)
  const [needed] = request.extra.needed ?? []
  if (needed !== undefined)
    throw invalidRequest(
      wording`The guardrails of this API key cannot check an answer such as ${needed} asks for. Leave it out.`,
      needed,
    ).because(guardrailReason)
  return freezeDeeply(known)
}

/**
 * The answer of a guardrail. Undefined if it failed and its `onFailure` is `allow`. Stops waiting once the request is aborted, and tells
 * `run`.
 */
export async function askGuard<V>(
  guard: LoadedGuard,
  context: RunContext,
  run: (signal: AbortSignal) => Promise<V>,
): Promise<V | undefined> {
  const { plugin, guardrail } = guard
  const { signal } = context
  const call = new AbortController()
  const late = (): never => {
    throw new PluginError(plugin, `took longer than ${guardrail.timeoutMs} ms`)
  }
  try {
    return await pTimeout(run(call.signal), { milliseconds: guardrail.timeoutMs, fallback: late, signal })
  } catch (error) {
    call.abort(signal.aborted ? signal.reason : error)
    if (signal.aborted) throw signal.reason
    return failed(guard, context, error)
  }
}

/** The answer of a synchronous function of a guardrail. Undefined if it failed and its `onFailure` is `allow`. */
export function guarded<T>(guard: LoadedGuard, context: RunContext, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    return failed(guard, context, error)
  }
}

/** Logs a guardrail's failure. Returns if its `onFailure` is `allow`; otherwise throws the 503. A thrown `GatewayError` is its refusal. */
export function failed(guard: LoadedGuard, context: RunContext, error: unknown): undefined {
  if (error instanceof GatewayError) throw refused(guard, context, error)
  const { guardrail, plugin } = guard
  const { name, onFailure } = guardrail
  const { id, log, caller } = context
  // With logging off, no part of a prompt or answer may be written anywhere.
  const described = describePluginError(error, !caller.policy.logging.value, caller.policy.logging.value)
  log.error('a guardrail failed', { guardrail: name, plugin, request: id, onFailure, ...described })
  context.note('guardrail', { name, outcome: 'failed' })
  guard.watched?.failed()
  if (onFailure === 'refuse') {
    throw new GatewayError({
      status: 503,
      type: 'server_error',
      code: 'server_error',
      message: wording`The guardrail "${own(name)}" failed, so this request was refused. Try again.`,
      reason: guardrailReason,
      cause: error,
    })
  }
}

const guardrailReason: FailureReason = { kind: 'guardrail' }

/** Notes the guardrail in the record, and says in the error whether it enforces a policy. */
export function refused({ guardrail, watched }: LoadedGuard, context: RunContext, refusal: GatewayError): GatewayError {
  context.note('guardrail', { name: guardrail.name, outcome: 'refused' })
  watched?.refused()
  const { kind, level } = refusal.reason
  if (kind === 'request' || kind === 'gateway') return refusal.because(guardrailReason)
  if (kind !== 'policy' || level !== undefined) return refusal
  const { policy } = context.caller
  const field = guardrail.enforces.find(each => policy[each].value)
  return field === undefined ? refusal.because(guardrailReason) : refusal.because({ kind, level: policy[field].source })
}
