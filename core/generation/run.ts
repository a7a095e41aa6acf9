import type { Endpoint } from '../contracts/catalog.ts'
import type { FinishReason } from '../contracts/events.ts'
import type { Item } from '../contracts/items.ts'
import type { JsonObject } from '../foundation/json.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Commitment, FinishedAnswer, GenerationRun, GenerationSink, Outcome } from '../contracts/route.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { describeError } from '../foundation/logger.ts'
import type { LiveOperations } from '../call/live-operations.ts'
import { Operation } from '../call/operation.ts'
import { routingWarnings } from '../routing/routing-record.ts'
import { MediaError } from '../upstream/media/media-error.ts'
import { pathOfMedia } from '../upstream/media/media-parts.ts'
import { Answer } from './answer.ts'
import type { AnswerSurroundings } from './attempts.ts'
import type { RunServices } from './generation.ts'
import { located } from './located.ts'
import type { ModelCall } from './model-call.ts'
import { answerGuards, type AnswerGuards } from '../guards/answer-guards.ts'
import { prepare, type Prepared } from './preparation.ts'
import type { Reply } from './reply.ts'
import { Rounds } from './rounds.ts'
import type { OpenTools } from './tools/open-tools.ts'
import { ToolRounds } from './tools/tool-rounds.ts'

/** The whole life of one generation, top to bottom. */
export class Run implements GenerationRun {
  readonly #services: RunServices
  readonly #scope: RequestScope
  readonly #asked: GenerationRequest
  readonly #sink: GenerationSink
  readonly #operation: Operation
  readonly #context: RunContext
  readonly #answer: Answer
  readonly #surroundings: AnswerSurroundings
  #commitment: Commitment | GatewayError | undefined
  /** Made when someone asks for it: most answers come whole. */
  #committed: PromiseWithResolvers<Commitment | GatewayError> | undefined
  #finished: Promise<Outcome | GatewayError> | undefined
  #commitTimer: NodeJS.Timeout | undefined
  #begun: Commitment | undefined
  #rounds: Rounds | undefined

  constructor(services: RunServices, scope: RequestScope, request: GenerationRequest, sink: GenerationSink) {
    this.#services = services
    this.#scope = scope
    this.#asked = request
    this.#sink = sink
    this.#answer = new Answer(services.ids, sink)
    this.#operation = new Operation(scope, request.model, services.settings.runTimeoutMs, services.clock)
    this.#context = this.#operation.context
    const { cancellation, record } = scope
    this.#surroundings = { cancellation, record, answer: services.answers.open(scope.caller.owner, reason => this.#makeRoom(reason)) }
    record.stream = request.stream === true
  }

  get committed(): Promise<Commitment | GatewayError> {
    if (!this.#committed) {
      this.#committed = Promise.withResolvers()
      if (this.#commitment) this.#committed.resolve(this.#commitment)
    }
    return this.#committed.promise
  }

  get finished(): Promise<Outcome | GatewayError> {
    return this.#finished!
  }

  /** Call it once. */
  start(live: LiveOperations): void {
    this.#finished = live.track(this.#scope, () => this.#go())
  }

  /** Waits only where there is something to wait for. */
  async #go(): Promise<Outcome | GatewayError> {
    let result: Outcome | GatewayError
    try {
      const entered = this.#services.requestLimits.enter(this.#context.caller.key)
      if (entered) this.#operation.onEnd(await entered)
      const preparing = prepare(this.#services, this.#asked, this.#context, this.#scope)
      const prepared = isPending(preparing) ? await preparing : preparing
      const tools = prepared.tools && this.#toolRounds(prepared.tools, prepared)
      const reserving = this.#reserve(prepared)
      const call = isPending(reserving) ? await reserving : reserving
      if (prepared.guards.length > 0) this.#answer.guardBy(this.#answerGuards(prepared))
      this.#commitInTime()
      this.#rounds = this.#begin(prepared, tools)
      const { endpoint } = await this.#rounds.run(call)
      this.#answer.end(this.#rounds.finish)
      const checking = this.#answer.settled()
      if (checking) await checking
      const outcome = this.#outcome(endpoint, this.#rounds.finish)
      const finished = this.#sink.close(outcome)
      this.#scope.record.answerId = finished.id
      const stored = this.#stores && (await this.#store(finished, prepared.added))
      const settling = this.#operation.settle(false)
      if (settling) await settling
      this.#deliver(finished, stored, prepared.request, endpoint)
      result = outcome
    } catch (thrown) {
      const failing = this.#failed(thrown)
      result = isPending(failing) ? await failing : failing
    }
    clearTimeout(this.#commitTimer)
    this.#release()
    const ending = this.#operation.end(result instanceof GatewayError)
    if (ending) await ending
    return result
  }

  #reserve({ request, candidates, tools }: Prepared): Maybe<ModelCall> {
    return this.#services.calls.reserve(request, candidates, {
      operation: this.#operation,
      context: this.#context,
      surroundings: tools ? { ...this.#surroundings, tools } : this.#surroundings,
      said: this.#answer.transcript,
      mayEndEarly: true,
    })
  }

  #begin(prepared: Prepared, tools: ToolRounds | undefined): Rounds {
    const { tools: loaded, sealer } = this.#services
    return new Rounds({
      prepared,
      tools,
      loaded,
      sealer,
      context: this.#context,
      answer: this.#answer,
      sink: this.#sink,
      begin: reply => this.#answers(reply),
    })
  }

  #deliver(finished: FinishedAnswer, stored: boolean, request: GenerationRequest, endpoint: Endpoint): void {
    this.#sink.end(stored)
    const { record } = this.#scope
    // Without a choice of endpoints, there is nothing to remember.
    if (record.routing) this.#services.affinity.remember(request, this.#context.caller, endpoint, stored ? finished.id : undefined)
    record.content(this.#asked as unknown as JsonObject, finished.body)
  }

  #answerGuards({ guards, request }: Prepared): AnswerGuards | undefined {
    const { format } = request.text ?? {}
    return answerGuards(guards, {
      context: this.#context,
      isJson: format !== undefined && format.type !== 'text',
      maxCharacters: this.#services.settings.maxAnswerBytes,
      show: event => this.#answer.show(event),
      end: reason => this.#scope.cancellation.abort(reason),
    })
  }

  #toolRounds(tools: OpenTools, { request, extended }: Prepared): ToolRounds {
    return new ToolRounds(tools, {
      request,
      conversation: extended.input,
      context: this.#context,
      operation: this.#operation,
      answer: this.#answer,
      memory: this.#surroundings.answer,
      ids: this.#services.ids,
      limits: this.#services.settings,
    })
  }

  /** Called when all answers together use too much memory and this one uses the most. */
  #makeRoom(reason: GatewayError): void {
    const { answer, cancellation } = this.#surroundings
    this.#context.log.warn('the largest answer was ended to free memory', { request: this.#context.id, bytes: answer.bytes })
    cancellation.abort(reason)
  }

  /** The end of a large answer takes memory until the client has read it. */
  #release(): void {
    const { answer } = this.#surroundings
    if (!this.#sink.full) return answer.close()
    answer.complete(() => {
      this.#context.log.warn('the end of an answer was not delivered, to free memory', { request: this.#context.id, bytes: answer.bytes })
      this.#sink.abandon?.()
    })
    void this.#sink.drained().then(() => answer.close())
  }

  /** Sends a stream's status after a while even without an answer, so that proxies and clients keep the connection open. */
  #commitInTime(): void {
    if (!this.#asked.stream) return
    this.#commitTimer = setTimeout(
      () => this.#commit({ endpoint: undefined, attempts: 0, warnings: [], store: this.#stores }),
      this.#services.settings.commitAfterMs,
    )
  }

  /** Called with the first reply, and with those that follow. */
  #answers({ attempt }: Reply): void {
    if (this.#begun) return
    clearTimeout(this.#commitTimer)
    const { endpoint } = attempt.candidate
    this.#operation.answeredBy(endpoint)
    this.#scope.record.answerId = this.#sink.id ?? null
    const { record } = this.#scope
    const warnings = record.routing?.warnings ? [...routingWarnings(record), ...attempt.warnings] : attempt.warnings
    this.#begun = { endpoint, attempts: record.attempts.length + 1, warnings, store: this.#stores }
    this.#sink.begin(this.#begun)
    this.#commit(this.#begun)
  }

  #outcome(endpoint: Endpoint, finish: FinishReason): Outcome {
    const { attempts, warnings } = this.#begun!
    const { usage, costUsd } = this.#operation.bill
    return { endpoint, attempts, warnings, finish, usage, costUsd }
  }

  /** True if the caller allows it and the key's policy has logging on: docs/protocol/stored-responses.md. */
  get #stores(): boolean {
    return this.#asked.store !== false && this.#context.caller.policy.logging.value
  }

  async #store(finished: FinishedAnswer, added: readonly Item[]): Promise<boolean> {
    const { id: requestId, caller } = this.#context
    const { answer } = this.#surroundings
    const late = new AbortController()
    answer.complete(reason => late.abort(reason))
    const answered = {
      previousId: this.#asked.previous_response_id,
      added,
      said: this.#answer.shown.items(),
      finished,
      bytes: answer.bytes,
      late,
    }
    return await this.#services.history.keep(caller, answered, requestId)
  }

  /** A provider's protocol violation may surface only at the end, outside the relay that handles failures. */
  #publicly(thrown: unknown): unknown {
    const media = MediaError.behind(thrown)
    if (media) return media.publicly((media.url !== undefined && pathOfMedia(this.#asked.input, media.url)) || 'input')
    const reply = this.#rounds?.reply
    return ProviderFailure.is(thrown) && reply ? reply.publicError(thrown) : thrown
  }

  #failed(thrown: unknown): Maybe<GatewayError> {
    const error = this.#operation.failed(located(this.#publicly(thrown), this.#asked))
    const leaving = this.#leave()
    return isPending(leaving) ? leaving.then(() => this.#tell(error)) : this.#tell(error)
  }

  #tell(error: GatewayError): GatewayError {
    const { bill } = this.#operation
    try {
      this.#sink.fail(error, bill.usage)
    } catch (unwritable) {
      this.#context.log.error('a failure could not be written', { request: this.#context.id, ...describeError(unwritable) })
    }
    this.#commit(error)
    return error
  }

  /** Only the first call counts. */
  #commit(commitment: Commitment | GatewayError): void {
    this.#commitment ??= commitment
    this.#committed?.resolve(commitment)
  }

  /** Ends the round that was under way. What the model had said by then is billed, whoever ended it. */
  #leave(): Maybe<unknown> {
    const reply = this.#rounds?.reply
    if (!reply || reply.isBilled) return undefined
    reply.attempt.end('left', reply.usage)
    const billing = reply.hasCost ? reply.bill() : undefined
    this.#answer.forget()
    return billing
  }
}
