import type { LiveAnswer } from '../call/live-answer.ts'
import type { LiveAnswers } from '../call/live-answers.ts'
import type { CallSteps } from '../call/steps.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestEnvelope } from '../contracts/request-envelope.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { Commitment, FinishedAnswer, GenerationRun, GenerationSink, Outcome } from '../contracts/route.ts'
import type { Sealer } from '../contracts/sealer.ts'
import { GatewayError } from '../foundation/errors.ts'
import type { Ids } from '../foundation/ids.ts'
import type { JsonObject } from '../foundation/json.ts'
import { describeError } from '../foundation/logger.ts'
import type { Settings } from '../framework/settings.ts'
import { answerGuards } from '../guards/answer-guards.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import type { Affinity } from '../routing/affinity.ts'
import { routingWarnings } from '../routing/routing-record.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { MediaError } from '../upstream/media/media-error.ts'
import { pathOfMedia } from '../upstream/media/media-parts.ts'
import { Answer } from './answer.ts'
import { located } from './located.ts'
import type { ModelCall, ModelCalls } from './model-call.ts'
import { Preparation, type PreparationServices, type Prepared } from './preparation.ts'
import type { ModelReply } from './model-reply.ts'
import { Rounds } from './rounds.ts'
import type { OpenTools } from './tools/open-tools.ts'
import { ToolRounds } from './tools/tool-rounds.ts'

/** The services that every run uses. */
export interface RunServices extends PreparationServices {
  readonly models: ModelCalls
  readonly answers: LiveAnswers
  readonly affinity: Affinity
  readonly sealer: Sealer
  readonly settings: Settings
  readonly ids: Ids
}

/** The attempt that answered, and what it was asked. */
interface Answered {
  readonly endpoint: Endpoint
  readonly prepared: Prepared
}

/** One generation: its own part of each step of a call. */
export class Run extends Preparation implements GenerationRun, CallSteps<unknown, Prepared, Answered, Outcome> {
  readonly isCounted = true
  /** Set by whoever starts the run. */
  finished!: Promise<Outcome | GatewayError>
  readonly #services: RunServices
  readonly #sink: GenerationSink
  readonly #answer: Answer
  readonly #memory: LiveAnswer
  #call: ModelCall | undefined
  #commitment: Commitment | GatewayError | undefined
  /** Made when someone asks for it: most answers come whole. */
  #committed: PromiseWithResolvers<Commitment | GatewayError> | undefined
  #commitTimer: NodeJS.Timeout | undefined
  #begun: Commitment | undefined
  #rounds: Rounds | undefined
  #outcome: Outcome | undefined
  #finished: FinishedAnswer | undefined
  #stored = false

  constructor(services: RunServices, scope: RequestScope, request: GenerationRequest, envelope: RequestEnvelope, sink: GenerationSink) {
    super(services, scope, request, envelope, false)
    this.#services = services
    this.#sink = sink
    this.#answer = new Answer(services.ids, sink)
    this.#memory = services.answers.open(scope.caller.owner, reason => this.#makeRoom(reason))
    scope.record.stream = request.stream === true
  }

  get committed(): Promise<Commitment | GatewayError> {
    if (!this.#committed) {
      this.#committed = Promise.withResolvers()
      if (this.#commitment) this.#committed.resolve(this.#commitment)
    }
    return this.#committed.promise
  }

  reserve({ request, candidates, tools }: Prepared): Maybe<void> {
    const reserving = this.#services.models.reserve(request, candidates, {
      payer: this.operation,
      context: this.context,
      cancellation: this.scope.cancellation,
      record: this.scope.record,
      memory: this.#memory,
      tools,
      said: this.#answer.transcript,
      mayEndEarly: true,
    })
    if (isPending(reserving)) return reserving.then(call => void (this.#call = call))
    this.#call = reserving
  }

  guardOutput(guards: readonly OpenGuard[]): void {
    const { format } = this.asked.text ?? {}
    const guarded = answerGuards(guards, {
      context: this.context,
      isJson: format !== undefined && format.type !== 'text',
      maxCharacters: this.#services.settings.maxAnswerBytes,
      show: event => this.#answer.show(event),
      end: reason => this.scope.cancellation.abort(reason),
    })
    this.#answer.guardBy(guarded)
  }

  async answer(prepared: Prepared): Promise<Answered> {
    const { tools: loaded, sealer } = this.#services
    this.#commitInTime()
    const rounds = new Rounds({
      prepared,
      tools: prepared.tools && this.#toolRounds(prepared.tools, prepared),
      loaded,
      sealer,
      context: this.context,
      answer: this.#answer,
      sink: this.#sink,
      begin: reply => this.#answers(reply),
    })
    this.#rounds = rounds
    const { endpoint } = await rounds.run(this.#call!)
    this.#answer.end(rounds.finish)
    return { endpoint, prepared }
  }

  guarded(): Promise<void> | undefined {
    return this.#answer.settled()
  }

  store({ endpoint, prepared }: Answered): Maybe<void> {
    this.#outcome = this.#outcomeOf(endpoint)
    this.#finished = this.#sink.close(this.#outcome)
    this.scope.record.answerId = this.#finished.id
    if (this.#stores) return this.#store(this.#finished, prepared)
  }

  deliver({ endpoint, prepared }: Answered): Outcome {
    const stored = this.#stored
    const finished = this.#finished!
    this.#sink.end(stored)
    const { record } = this.scope
    // Without a choice of endpoints, there is nothing to remember.
    if (record.routing) this.#services.affinity.remember(prepared.request, this.context.caller, endpoint, stored ? finished.id : undefined)
    record.content(this.envelope.recorded ?? (this.asked as unknown as JsonObject), finished.body)
    return this.#outcome!
  }

  #toolRounds(tools: OpenTools, { request, extended }: Prepared): ToolRounds {
    return new ToolRounds(tools, {
      request,
      conversation: extended.input,
      context: this.context,
      operation: this.operation,
      answer: this.#answer,
      memory: this.#memory,
      ids: this.#services.ids,
      limits: this.#services.settings,
    })
  }

  /** Called when all answers together use too much memory and this one uses the most. */
  #makeRoom(reason: GatewayError): void {
    this.context.log.warn('the largest answer was ended to free memory', { request: this.context.id, bytes: this.#memory.bytes })
    this.scope.cancellation.abort(reason)
  }

  /** The end of a large answer takes memory until the client has read it. */
  over(): void {
    clearTimeout(this.#commitTimer)
    const memory = this.#memory
    if (!this.#sink.full) return memory.close()
    memory.complete(() => {
      this.context.log.warn('the end of an answer was not delivered, to free memory', { request: this.context.id, bytes: memory.bytes })
      this.#sink.abandon?.()
    })
    void this.#sink.drained().then(() => memory.close())
  }

  /** Sends a stream's status after a while even without an answer, so that proxies and clients keep the connection open. */
  #commitInTime(): void {
    if (!this.asked.stream) return
    this.#commitTimer = setTimeout(
      () => this.#commit({ endpoint: undefined, attempts: 0, warnings: [], store: this.#stores }),
      this.#services.settings.commitAfterMs,
    )
  }

  /** Called with the first reply, and with those that follow. */
  #answers({ attempt }: ModelReply): void {
    if (this.#begun) return
    clearTimeout(this.#commitTimer)
    const { endpoint } = attempt.candidate
    this.operation.answeredBy(endpoint)
    this.scope.record.answerId = this.#sink.id ?? null
    const { record } = this.scope
    const warnings = record.routing?.warnings ? [...routingWarnings(record), ...attempt.warnings] : attempt.warnings
    this.#begun = { endpoint, attempts: record.attempts.length + 1, warnings, store: this.#stores }
    this.#sink.begin(this.#begun)
    this.#commit(this.#begun)
  }

  #outcomeOf(endpoint: Endpoint): Outcome {
    const { attempts, warnings } = this.#begun!
    const { finish } = this.#rounds!
    const { usage, costUsd } = this.operation.bill
    return { endpoint, attempts, warnings, finish, usage, costUsd }
  }

  /** True if the surface stores answers, the caller allows it and the key's policy has logging on: docs/protocol/stored-responses.md. */
  get #stores(): boolean {
    const { history } = this.envelope
    return history !== undefined && history.store !== false && this.context.caller.policy.logging.value
  }

  async #store(finished: FinishedAnswer, { added }: Prepared): Promise<void> {
    const { id: requestId, caller } = this.context
    const late = new AbortController()
    this.#memory.complete(reason => late.abort(reason))
    const answered = {
      previousId: this.envelope.history?.continues,
      added,
      said: this.#answer.shown.items(),
      finished,
      bytes: this.#memory.bytes,
      late,
    }
    this.#stored = await this.#services.history.keep(caller, answered, requestId)
  }

  /** A provider's protocol violation may surface only at the end, outside the relay that handles failures. */
  #publicly(thrown: unknown): unknown {
    const media = MediaError.behind(thrown)
    if (media) return media.publicly((media.url !== undefined && pathOfMedia(this.asked.input, media.url)) || 'input')
    const reply = this.#rounds?.reply
    return ProviderFailure.is(thrown) && reply ? reply.publicError(thrown) : thrown
  }

  fail(thrown: unknown): Maybe<GatewayError> {
    const error = this.operation.failed(located(this.#publicly(thrown), this.asked, this.envelope.history))
    const leaving = this.#leave()
    return isPending(leaving) ? leaving.then(() => this.#tell(error)) : this.#tell(error)
  }

  #tell(error: GatewayError): GatewayError {
    const { bill } = this.operation
    try {
      this.#sink.fail(error, bill.usage)
    } catch (unwritable) {
      this.context.log.error('a failure could not be written', { request: this.context.id, ...describeError(unwritable) })
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
