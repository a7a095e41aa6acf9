import { PolicyResolver } from '../admission/policy.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Clock } from '../foundation/clock.ts'
import { GatewayError } from '../foundation/errors.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Guardrails } from '../framework/extension-points.ts'
import { Settings } from '../framework/settings.ts'
import { loadedGuards, openGuards, type LoadedGuard } from '../guards/input-guards.ts'
import { RequestLimits } from '../limits/request-limits.ts'
import { isPending } from '../runtime/pending.ts'
import type { CallSteps } from './steps.ts'
import { LiveOperations } from './live-operations.ts'
import { Operation } from './operation.ts'

const dependencies = {
  requestLimits: RequestLimits,
  policies: PolicyResolver,
  guardrails: Guardrails,
  settings: Settings,
  clock: Clock,
  live: LiveOperations,
}

/** Runs calls to models. Every kind of call takes the same steps in the same order. */
export class Calls {
  readonly #services: Omit<Dependencies<typeof dependencies>, 'guardrails'>
  readonly #guardrails: readonly LoadedGuard[]

  static {
    wire(this, dependencies)
  }

  constructor({ guardrails, ...services }: Dependencies<typeof dependencies>) {
    this.#services = services
    this.#guardrails = loadedGuards(guardrails)
  }

  /** `requestedModel` goes into the record. */
  open(scope: RequestScope, requestedModel: string | null): Operation {
    const { settings, clock } = this.#services
    return new Operation(scope, requestedModel, settings.runTimeoutMs, clock)
  }

  /** Never rejects. The call goes on even if nobody waits for it. */
  run<Asked, Plan, Answered, Result>(scope: RequestScope, call: CallSteps<Asked, Plan, Answered, Result>): Promise<Result | GatewayError> {
    return this.#services.live.track(scope, () => this.#steps(call))
  }

  /**
   * The order in which a call happens: nothing is sent before everything that may refuse it, and a client hears of nothing that is not
   * stored and paid for. Waits only where there is something to wait for.
   */
  async #steps<Asked, Plan, Answered, Result>(call: CallSteps<Asked, Plan, Answered, Result>): Promise<Result | GatewayError> {
    const { requestLimits, policies } = this.#services
    const { operation, context } = call
    const { key, policy } = context.caller
    let result: Result | GatewayError
    let hasFailed = false
    try {
      // Limits.
      const entering = call.isCounted ? requestLimits.enter(key) : undefined
      if (entering) operation.onEnd(await entering)
      // Policy.
      call.heed?.(policy)
      policies.check(policy)
      const checking = call.check?.()
      if (checking) await checking
      // History.
      const guards = openGuards(this.#guardrails, context)
      const extending = call.extend(guards)
      const extended = isPending(extending) ? await extending : extending
      // Guards on the input.
      const asked = guards.length > 0 ? await call.guardInput(extended, guards) : extended
      // Tools and plan.
      const planning = call.plan(asked, guards)
      const plan = isPending(planning) ? await planning : planning
      // Reservation.
      const reserving = call.reserve?.(plan)
      if (reserving) await reserving
      // Attempts.
      if (guards.length > 0) call.guardOutput?.(guards)
      const answered = await call.answer(plan)
      // Guards on the output.
      const guarding = call.guarded?.()
      if (guarding) await guarding
      // Store, settle, deliver.
      const storing = call.store?.(answered)
      if (storing) await storing
      const settling = operation.settle(false)
      if (settling) await settling
      result = call.deliver(answered)
    } catch (thrown) {
      const failing = call.fail(thrown)
      result = isPending(failing) ? await failing : failing
      hasFailed = true
    }
    call.over?.()
    // Record.
    const ending = operation.end(hasFailed)
    if (ending) await ending
    return result
  }
}
