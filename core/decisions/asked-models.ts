import type { GenerationEvent } from '../contracts/events.ts'
import type { OpenRecord } from '../contracts/log-sink.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Cancellation } from '../runtime/cancellation.ts'
import { appended } from '../runtime/growing-text.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { ModelCalls } from '../generation/model-call.ts'
import type { Said } from '../generation/said.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import { DerivedContext } from '../call/derived-context.ts'
import type { LiveAnswer } from '../call/live-answer.ts'
import { LiveAnswers } from '../call/live-answers.ts'
import type { Operation } from '../call/operation.ts'
import { Planner } from '../routing/plan.ts'
import { AskedCall } from './asked-call.ts'

const dependencies = { planner: Planner, calls: ModelCalls, answers: LiveAnswers }

/** The purpose of the calls of one attempt at a decision. */
export interface AskingScope {
  readonly operation: Operation
  readonly guards: readonly OpenGuard[]
  /** Calls still open when it aborts are aborted. */
  readonly signal: AbortSignal
  readonly record: OpenRecord
}

/** Lets decision clients call models. The decision pays for the calls. */
export class AskedModels {
  readonly #services: Dependencies<typeof dependencies>

  static {
    wire(this, dependencies)
  }

  constructor(services: Dependencies<typeof dependencies>) {
    this.#services = services
  }

  asker(scope: AskingScope): Asker {
    return new Asker(this.#services, scope)
  }
}

/** Calls models for one attempt at a decision. */
export class Asker {
  readonly #services: Dependencies<typeof dependencies>
  readonly #scope: AskingScope
  readonly #cancellation = new Cancellation()
  readonly #open = new Set<AskedCall>()
  #hasAsked = false

  constructor(services: Dependencies<typeof dependencies>, scope: AskingScope) {
    this.#services = services
    this.#scope = scope
  }

  get hasAsked(): boolean {
    return this.#hasAsked
  }

  /** `DecisionCall.generate`. */
  generate(request: GenerationRequest): AsyncGenerator<GenerationEvent> {
    if (!this.#hasAsked) abortWith(this.#cancellation, this.#scope.signal)
    this.#hasAsked = true
    return this.#ask(request)
  }

  /** Aborts the calls that are still open, and waits until their costs are settled. */
  async close(): Promise<void> {
    this.#cancellation.abort(new Error('the decision is over'))
    await Promise.all([...this.#open].map(call => call.end()))
  }

  async *#ask(request: GenerationRequest): AsyncGenerator<GenerationEvent> {
    const cancellation = this.#cancellation
    throwIfAborted(cancellation)
    const { operation } = this.#scope
    const context = new DerivedContext(operation.context, cancellation)
    const answer = this.#services.answers.open(context.caller.owner, reason => cancellation.abort(reason))
    const call = new AskedCall(operation, answer)
    this.#open.add(call)
    try {
      yield* this.#answer(request, call, context, answer)
    } finally {
      await call.end()
      this.#open.delete(call)
    }
  }

  async *#answer(request: GenerationRequest, call: AskedCall, context: RunContext, answer: LiveAnswer): AsyncGenerator<GenerationEvent> {
    const { planner, calls } = this.#services
    const { guards, record } = this.#scope
    const cancellation = this.#cancellation
    const planned = await planner.plan(request, { context, guards, record })
    throwIfAborted(cancellation)
    const said = new SaidText()
    const reserved = await calls.reserve(request, planned, {
      payer: call,
      context,
      cancellation,
      record,
      memory: answer,
      said,
    })
    throwIfAborted(cancellation)
    const reply = await call.opens(reserved.open(request))
    try {
      for (let event = reply.take() ?? (await reply.next()); event; event = reply.take() ?? (await reply.next())) {
        if (event.type === 'text') said.add(event)
        if (event.type === 'usage') {
          if (reply.usage) yield { type: 'usage', usage: reply.usage }
        } else if (event.type !== 'suppressed-call') yield event
      }
      reply.end()
    } catch (error) {
      throw reply.fail(error)
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

function abortWith(cancellation: Cancellation, signal: AbortSignal): void {
  if (signal.aborted) cancellation.abort(signal.reason)
  else signal.addEventListener('abort', () => cancellation.abort(signal.reason), { once: true })
}

function throwIfAborted({ aborted, reason }: Cancellation): void {
  if (aborted) throw reason
}
