import { PolicyResolver } from '../admission/policy.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Clock } from '../foundation/clock.ts'
import { GatewayError } from '../foundation/errors.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { CallWrappers, Guardrails } from '../framework/extension-points.ts'
import { Settings } from '../framework/settings.ts'
import { loadedGuards, openGuards, type LoadedGuard, type OpenGuard } from '../guards/input-guards.ts'
import { RequestLimits } from '../limits/request-limits.ts'
import { isPending } from '../runtime/pending.ts'
import { LiveOperations } from './live-operations.ts'
import type { Observed } from './observed.ts'
import { Observers } from './observers.ts'
import type { Onlookers } from './onlookers.ts'
import { Operation } from './operation.ts'
import { SessionIds } from './session-ids.ts'
import type { CallSteps } from './steps.ts'
import { Wrappers } from './wrappers.ts'

const dependencies = {
  requestLimits: RequestLimits,
  policies: PolicyResolver,
  guardrails: Guardrails,
  settings: Settings,
  clock: Clock,
  live: LiveOperations,
  sessions: SessionIds,
  wrappers: CallWrappers,
  observers: Observers,
}

/** Runs calls to models. Every kind of call takes the same steps in the same order. */
export class Calls {
  readonly #services: Omit<Dependencies<typeof dependencies>, 'guardrails' | 'wrappers' | 'observers'>
  readonly #guardrails: readonly LoadedGuard[]
  /** Absent if no plugin adds any, so that requests do not pay for them. */
  readonly #wrappers: Wrappers | undefined
  readonly #observers: Observers | undefined

  static {
    wire(this, dependencies)
  }

  constructor({ guardrails, wrappers, observers, ...services }: Dependencies<typeof dependencies>) {
    this.#services = services
    this.#guardrails = loadedGuards(guardrails)
    this.#wrappers = Wrappers.of(wrappers)
    this.#observers = observers.isEmpty ? undefined : observers
  }

  /** `requestedModel` goes into the record. */
  open(scope: RequestScope, requestedModel: string | null): Operation {
    const { settings, clock } = this.#services
    return new Operation(scope, requestedModel, settings.runTimeoutMs, clock)
  }

  /** Never rejects. The call goes on even if nobody waits for it. */
  run<Asked, Plan, Answered, Result, Given>(
    scope: RequestScope,
    call: CallSteps<Asked, Plan, Answered, Result, Given>,
  ): Promise<Result | GatewayError> {
    scope.record.kind = call.kind
    scope.record.session = this.#services.sessions.of(scope, call.session)
    return this.#services.live.track(scope, () => this.#steps(call, this.#observers?.begin(scope, call.kind)))
  }

  /**
   * The order of a call: nothing is sent before every check that may refuse it, and a client sees nothing that is not stored and paid for.
   * Waits only where necessary.
   */
  async #steps<Asked, Plan, Answered, Result, Given>(
    call: CallSteps<Asked, Plan, Answered, Result, Given>,
    observed: Observed | undefined,
  ): Promise<Result | GatewayError> {
    const { requestLimits, policies } = this.#services
    const { operation, context } = call
    const { key, policy } = context.caller
    let result: Result | GatewayError
    let onlookers: Onlookers | undefined
    let guards: readonly OpenGuard[] = []
    let hasFailed = false
    try {
      // Limits.
      const entering = call.isCounted ? requestLimits.enter(key, context, call) : undefined
      if (entering) operation.onEnd(await entering)
      // Policy.
      call.heed?.(policy)
      policies.check(policy)
      const checking = call.check?.()
      if (checking) await checking
      // History.
      guards = openGuards(this.#guardrails, context, observed)
      const extending = call.extend(guards)
      const extended = isPending(extending) ? await extending : extending
      // Guards on the input.
      const asked = guards.length > 0 ? await call.guardInput(extended, guards) : extended
      // Tools and plan.
      const planned = observed?.plans()
      const planning = call.plan(asked, guards)
      const plan = isPending(planning) ? await planning : planning
      planned?.(call.toWrap(plan).endpoints.length)
      // Wrappers.
      const wrapping = this.#wrappers && (await this.#wrappers.open(call, plan))
      const given = wrapping?.given
      onlookers = wrapping?.onlookers
      if (onlookers) call.lookBy?.(onlookers)
      // Reservation.
      const reserving = given === undefined ? call.reserve?.(plan) : undefined
      if (reserving) await reserving
      // Attempts.
      if (guards.length > 0) call.guardOutput?.(guards)
      const answered = await call.answer(plan, given)
      // Guards on the output.
      const guarding = call.guarded?.()
      if (guarding) await guarding
      if (observed) for (const { watched } of guards) watched!.tells()
      // Store, settle, deliver.
      const storing = call.store?.(answered)
      if (storing) await storing
      const settling = operation.settle(false)
      if (settling) await settling
      result = call.deliver(answered)
      onlookers?.over(call.outcome(answered))
    } catch (thrown) {
      onlookers?.over(undefined)
      if (observed) for (const { watched } of guards) watched!.breaksOff()
      const failing = call.fail(thrown)
      result = isPending(failing) ? await failing : failing
      hasFailed = true
    }
    const closing = call.over?.()
    if (closing) await closing
    // Record.
    const ending = operation.end(hasFailed)
    if (ending) await ending
    observed?.end(result instanceof GatewayError ? result : undefined)
    return result
  }
}
