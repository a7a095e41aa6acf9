import type { TokenNeed } from '../billing/token-need.ts'
import type { Policy } from '../contracts/policy.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { Onlookers } from './onlookers.ts'
import type { Operation } from './operation.ts'
import type { Wrappable } from './wrappers.ts'

/**
 * One call to a model, of any kind: a generation, a decision, a count. It provides its part of each step that `Calls.run` takes in order. A
 * kind leaves out the steps that it does not have. A step without a wait returns at once.
 */
export interface CallSteps<Asked, Plan, Answered, Result, Given = unknown> extends Wrappable<Plan, Given> {
  readonly operation: Operation
  /** False if the call is no request to a model, and so does not count in the key's windows of requests. */
  readonly isCounted: boolean
  /** The session that the request names, in the caller's words, unless its headers do. */
  readonly session?: string | undefined
  /** Throws if calls of this kind cannot keep the policy. */
  heed?(policy: Policy): void
  /** The tokens that the call needs, as far as its own request tells, without the conversation before it. For limits on tokens. */
  need?(): TokenNeed
  /** Checks that only this kind has, such as of the request's size. Throws what the caller gets. */
  check?(): Maybe<void>
  /** The request with the conversation before it. */
  extend(guards: readonly OpenGuard[]): Maybe<Asked>
  /** Not called if no guardrail applies to the request. */
  guardInput(asked: Asked, guards: readonly OpenGuard[]): Promise<Asked>
  /** Opens the tools of the request, and chooses who may be asked, in order. */
  plan(asked: Asked, guards: readonly OpenGuard[]): Maybe<Plan>
  /** Holds what the call may cost. Not called if a wrapper answers. */
  reserve?(plan: Plan): Maybe<void>
  /** Not called if no guardrail applies to the request. */
  guardOutput?(guards: readonly OpenGuard[]): void
  /** Called if wrappers look at the answer. */
  lookBy?(onlookers: Onlookers): void
  /** Asks those of the plan until one has answered. Puts the cost on the operation's bill. `given`: the answer of a wrapper, in place of theirs. */
  answer(plan: Plan, given: Given | undefined): Promise<Answered>
  /** Waits until the guardrails have let through all of the answer. */
  guarded?(): Maybe<void>
  /** Stores the answer for later requests. */
  store?(answered: Answered): Maybe<void>
  /** Tells the client. The answer is stored and paid for. */
  deliver(answered: Answered): Result
  /** The answer, for wrappers that look at it. Undefined if it is cut short. */
  outcome(answered: Answered): object | undefined
  /** Tells the client of a failure. */
  fail(thrown: unknown): Maybe<GatewayError>
  /** Called in any case, before the record is complete. */
  over?(): Maybe<void>
}
