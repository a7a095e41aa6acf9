import type { DecisionCall } from '../contracts/decision.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { OpenRecord } from '../contracts/log-sink.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { Cancellation } from '../foundation/cancellation.ts'
import { appended } from '../foundation/growing-text.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { ModelCalls, type CallScope } from '../generation/model-call.ts'
import type { Said } from '../generation/said.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import { DerivedContext } from '../operation/derived-context.ts'
import { LiveAnswers } from '../operation/live-answers.ts'
import type { Operation } from '../operation/operation.ts'
import { Planner } from '../routing/plan.ts'

const dependencies = { planner: Planner, calls: ModelCalls, answers: LiveAnswers }

/** Lets decision clients call models. The decision pays for the calls. */
export class AskedModels {
  readonly #services: Dependencies<typeof dependencies>

  static {
    wire(this, dependencies)
  }

  constructor(services: Dependencies<typeof dependencies>) {
    this.#services = services
  }

  /** `DecisionCall.generate` for one attempt at a decision. Calls still open when `signal` aborts are aborted. */
  asker(operation: Operation, guards: readonly OpenGuard[], signal: AbortSignal, record: OpenRecord): DecisionCall['generate'] {
    let cancellation: Cancellation | undefined
    return request => this.#ask(request, operation, guards, (cancellation ??= following(signal)), record)
  }

  async *#ask(
    request: GenerationRequest,
    operation: Operation,
    guards: readonly OpenGuard[],
    cancellation: Cancellation,
    record: OpenRecord,
  ): AsyncGenerator<GenerationEvent> {
    const context = new DerivedContext(operation.context, cancellation)
    const answer = this.#services.answers.open(context.caller.owner, reason => cancellation.abort(reason))
    try {
      yield* this.#answer(request, guards, { operation, context, surroundings: { cancellation, record, answer } })
    } finally {
      answer.close()
    }
  }

  async *#answer(
    request: GenerationRequest,
    guards: readonly OpenGuard[],
    scope: Omit<CallScope, 'said'>,
  ): AsyncGenerator<GenerationEvent> {
    const { planner, calls } = this.#services
    const planned = await planner.plan(request, { context: scope.context, guards, record: scope.surroundings.record })
    const said = new SaidText()
    const call = await calls.reserve(request, planned, { ...scope, said })
    const reply = await call.open(request)
    try {
      for (let event = reply.take() ?? (await reply.next()); event; event = reply.take() ?? (await reply.next())) {
        if (event.type === 'text') said.add(event)
        if (event.type !== 'suppressed-call') yield event
      }
      reply.end()
    } catch (error) {
      throw reply.fail(error)
    } finally {
      // The client may stop reading early.
      reply.attempt.end('left', reply.usage)
      if (reply.hasCost || reply.finish) await reply.bill()
    }
  }
}

class SaidText implements Said {
  #text = ''

  add(event: { readonly text: string }): void {
    this.#text = appended(this.#text, event)
  }

  get characters(): number {
    return this.#text.length
  }

  textsAfter(characters: number): readonly string[] {
    return [this.#text.slice(characters)]
  }
}

/** Aborts with the signal. */
function following(signal: AbortSignal): Cancellation {
  const cancellation = new Cancellation()
  if (signal.aborted) cancellation.abort(signal.reason)
  else signal.addEventListener('abort', () => cancellation.abort(signal.reason), { once: true })
  return cancellation
}
