import { needOf, type TokenNeed } from '../billing/token-need.ts'
import type { LiveAnswer } from '../call/live-answer.ts'
import type { LoadedWrapper } from '../call/loaded-wrapper.ts'
import type { Onlookers } from '../call/onlookers.ts'
import type { CallSteps } from '../call/steps.ts'
import type { AnsweredGeneration } from '../contracts/call-wrapper.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { FinishReason, GenerationEvent } from '../contracts/events.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestEnvelope } from '../contracts/request-envelope.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { Commitment, FinishedAnswer, GenerationRun, GenerationSink, Outcome, Warning } from '../contracts/route.ts'
import { GatewayError, internalError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import { describeError } from '../foundation/logger.ts'
import { answerGuards } from '../guards/answer-guards.ts'
import { readsAnswers, type OpenGuard } from '../guards/input-guards.ts'
import type { Candidate } from '../routing/plan.ts'
import { routingWarnings } from '../routing/routing-record.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { MediaError } from '../upstream/media/media-error.ts'
import { pathOfMedia } from '../upstream/media/media-parts.ts'
import { Answer } from './answer.ts'
import { Commit } from './commit.ts'
import { Compacting, type Compacted } from './compaction/compacting.ts'
import { checkCompaction, retainedMessages } from './compaction/retained.ts'
import { GivenAnswer } from './given-answer.ts'
import { Keeping } from './keeping.ts'
import { located } from './located.ts'
import type { ModelCall } from './model-call.ts'
import { Preparation, type Prepared } from './preparation.ts'
import type { ModelReply } from './model-reply.ts'
import type { RaisedEvent } from './raised-event.ts'
import { Rounds } from './rounds.ts'
import type { RunServices } from './run-services.ts'
import type { OpenTools } from './tools/open-tools.ts'
import { ToolRounds } from './tools/tool-rounds.ts'
import { withShownTools } from './tools/tool-secrets.ts'

/** The model that answered, and its request. */
interface Answered {
  readonly endpoint: Endpoint
  readonly prepared: Prepared
  readonly finish: FinishReason
  /** A wrapper answered in the endpoint's place. */
  readonly isGiven: boolean
}

/** One generation: its own part of each step of a call. */
export class Run extends Preparation<'generation'> implements GenerationRun, CallSteps<unknown, Prepared, Answered, Outcome, GivenAnswer> {
  readonly kind = 'generation'
  readonly isCounted = true
  /** Set by whoever starts the run. */
  finished!: Promise<Outcome | GatewayError>
  readonly #services: RunServices
  readonly #sink: GenerationSink
  readonly #answer: Answer
  readonly #memory: LiveAnswer
  #call: ModelCall | undefined
  readonly #commit = new Commit()
  #begun: Commitment | undefined
  #onlookers: Onlookers | undefined
  #given: GivenAnswer | undefined
  #rounds: Rounds | undefined
  #compacting: Compacting | undefined
  #compacted: Compacted | undefined
  #outcome: Outcome | undefined
  #finished: FinishedAnswer | undefined
  readonly #keeping: Keeping
  /** A guardrail checks the answer. */
  #isGuarded = false

  constructor(services: RunServices, scope: RequestScope, request: GenerationRequest, envelope: RequestEnvelope, sink: GenerationSink) {
    super(services, scope, request, envelope, false)
    this.#services = services
    this.#sink = sink
    this.#answer = new Answer(services.ids, sink)
    this.#memory = services.answers.open(scope.caller.owner, reason => this.#makeRoom(reason))
    this.#keeping = new Keeping(services.history, envelope.history, this.context, this.#memory)
    scope.record.stream = request.stream === true
  }

  get committed(): Promise<Commitment | GatewayError> {
    return this.#commit.promise
  }

  async take(answer: unknown, by: LoadedWrapper, { request, tools }: Prepared, stopping: AbortController): Promise<GivenAnswer> {
    const count = (event: GenerationEvent): void => this.#memory.count(event)
    try {
      this.#given = await GivenAnswer.open(answer, { by, context: this.context, request, hasTools: tools !== undefined, count, stopping })
      return this.#given
    } catch (error) {
      // Another answer takes its place.
      this.#memory.restart()
      throw error
    }
  }

  need(): TokenNeed {
    return needOf(this.asked)
  }

  lookBy(onlookers: Onlookers): void {
    this.#onlookers = onlookers
  }

  reserve(prepared: Prepared): Maybe<void> {
    const { request, candidates, compaction } = prepared
    if (!compaction) return this.#hold(request, candidates, prepared)
    const { settings, ...services } = this.#services
    const { context, scope } = this
    const limits = { maxCharacters: settings.maxAnswerBytes, cancellation: scope.cancellation, memory: this.#memory }
    this.#compacting = new Compacting(compaction, prepared, { ...services, ...limits, context })
    return this.#compacting.open().then(first => this.#hold(first, compaction.candidates, prepared))
  }

  #hold(request: GenerationRequest, candidates: readonly Candidate[], { tools }: Prepared): Maybe<void> {
    const reserving = this.#services.models.reserve(request, candidates, {
      payer: this.operation,
      context: this.context,
      cancellation: this.scope.cancellation,
      record: this.scope.record,
      memory: this.#memory,
      tools,
      toolSecrets: this.toolSecrets,
      said: this.#answer.transcript,
      mayEndEarly: true,
    })
    if (isPending(reserving)) return reserving.then(call => void (this.#call = call))
    this.#call = reserving
  }

  guardOutput(guards: readonly OpenGuard[]): void {
    this.#isGuarded = guards.some(readsAnswers)
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

  async answer(prepared: Prepared, given: GivenAnswer | undefined): Promise<Answered> {
    if (this.#sink.accepted) await this.#sink.accepted(this.#keeping.input(prepared))
    if (given) return await this.#give(given, prepared)
    const { tools: loaded, sealer } = this.#services
    this.#commitInTime()
    const compacted = this.#compacting && (this.#compacted = await this.#compacting.run(this.#call!))
    const summary = compacted?.reply
    if (summary && prepared.isTriggered) {
      this.#answers(summary)
      return { endpoint: summary.attempt.candidate.endpoint, prepared, finish: 'stop', isGiven: false }
    }
    const left = compacted?.prepared ?? prepared
    const rounds = new Rounds({
      prepared: left,
      candidates: compacted && left.candidates,
      summary,
      tools: left.tools && this.#toolRounds(left.tools, left),
      loaded,
      sealer,
      ids: this.#services.ids,
      context: this.context,
      answer: this.#answer,
      sink: this.#sink,
      begin: reply => this.#answers(reply),
      cancellation: this.scope.cancellation,
      onlookers: this.#onlookers,
    })
    this.#rounds = rounds
    const { endpoint } = await rounds.run(this.#call!)
    const { finish } = rounds
    this.#answer.end(finish)
    return { endpoint, prepared, finish, isGiven: false }
  }

  guarded(): Promise<void> | undefined {
    return this.#answer.settled()
  }

  store({ endpoint, prepared, finish }: Answered): Maybe<void> {
    if (prepared.isTriggered) {
      if (this.#services.compactions.areLoaded) checkCompaction(this.#answer.shown.items(), endpoint)
      this.#sink.retain?.(retainedMessages(prepared))
    }
    this.#outcome = this.#outcomeOf(endpoint, finish)
    this.#finished = this.#sink.close(this.#outcome)
    this.scope.record.answerId = this.#finished.id
    const completing = this.#sink.completing?.()
    if (completing) return completing.then(() => this.#keep(prepared))
    return this.#keep(prepared)
  }

  deliver({ endpoint, prepared, isGiven }: Answered): Outcome {
    const stored = this.#keeping.isStored
    const finished = this.#finished!
    this.#sink.end(stored)
    const { record } = this.scope
    // Without a choice of endpoints, there is nothing to remember.
    if (record.routing && !isGiven) {
      const { user, model } = prepared.request
      const followed = { session: record.session, user }
      this.#services.affinity.remember(followed, this.context.caller, endpoint, model === 'auto', stored ? finished.id : undefined)
    }
    record.content(withShownTools(this.envelope.recorded ?? (this.asked as unknown as JsonObject)), finished.body)
    return this.#outcome!
  }

  outcome({ endpoint, finish }: Answered): Omit<AnsweredGeneration, 'by'> | undefined {
    // They saw a call that was repaired before it was answered.
    if (this.#rounds?.isCut || this.#compacted || this.#rounds?.hasRepaired) return undefined
    const { usage, costUsd } = this.operation.bill
    return { endpoint, finish, usage, costUsd, ranTools: this.#rounds?.ranTools === true }
  }

  fail(thrown: unknown): Maybe<GatewayError> {
    const failed = this.operation.failed(located(this.#publicly(thrown), this.asked, this.envelope.history))
    // A reply that could not be read may be an answer that no guardrail has checked.
    const error = this.#isGuarded ? failed.unquoted() : failed
    const leaving = this.#leave()
    return isPending(leaving) ? leaving.then(() => this.#tell(error)) : this.#tell(error)
  }

  /** The end of a large answer takes memory until the client has read it. */
  over(): Maybe<void> {
    this.#commit.stop()
    this.#given?.close()
    this.#freeMemory()
    return this.#sink.settled?.()
  }

  #freeMemory(): void {
    const memory = this.#memory
    if (!this.#sink.full) return memory.close()
    memory.complete(() => {
      this.context.log.warn('did not deliver the end of an answer, to free memory', { request: this.context.id, bytes: memory.bytes })
      this.#sink.abandon?.()
    })
    void this.#sink.drained().then(() => memory.close())
  }

  /** Delivers the answer of a wrapper under the name of the endpoint that would have been asked first. */
  async #give(given: GivenAnswer, prepared: Prepared): Promise<Answered> {
    const { endpoint } = prepared.candidates[0]!
    const answer = this.#answer
    const onlookers = this.#onlookers
    this.operation.answeredFree()
    this.#begin(endpoint, 0, [])
    const write =
      onlookers &&
      ((event: RaisedEvent) => {
        answer.write(event)
        onlookers.write(event as GenerationEvent)
      })
    const finish = await given.relay(write ?? (event => answer.write(event)), this.#sink)
    onlookers?.write({ type: 'finish', reason: finish })
    if (answer.callsToCheck(finish)?.some(({ problem }) => problem !== undefined))
      throw internalError(given.mistake('gave an invalid call'))
    answer.release()
    answer.end(finish)
    return { endpoint, prepared, finish, isGiven: true }
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
      observed: this.scope.record.observed,
    })
  }

  /** Called when all answers together use too much memory and this one uses the most. */
  #makeRoom(reason: GatewayError): void {
    this.context.log.warn('ended the largest answer to free memory', { request: this.context.id, bytes: this.#memory.bytes })
    this.scope.cancellation.abort(reason)
  }

  /** Sends a stream's status after a while even without an answer, so that proxies and clients keep the connection open. */
  #commitInTime(): void {
    if (!this.asked.stream) return
    const { commitAfterMs } = this.#services.settings
    this.#commit.reachAfter(commitAfterMs, () => ({ endpoint: undefined, attempts: 0, warnings: [], store: this.#keeping.isWanted }))
  }

  /** Called with the first reply, and with those that follow. */
  #answers({ attempt }: ModelReply): void {
    if (this.#begun) return
    this.#commit.stop()
    const { endpoint } = attempt.candidate
    this.operation.answeredBy(endpoint)
    const { sealed, warnings = [] } = this.#compacted ?? {}
    this.#begin(endpoint, this.scope.record.attempts.length + 1, [...warnings, ...attempt.warnings])
    if (sealed !== undefined) this.#answer.showCompaction(sealed)
  }

  #begin(endpoint: Endpoint, attempts: number, own: readonly Warning[]): void {
    const { record } = this.scope
    record.answerId = this.#sink.id ?? null
    const warnings = record.routing?.warnings ? [...routingWarnings(record), ...own] : own
    this.#begun = { endpoint, attempts, warnings, store: this.#keeping.isWanted }
    this.#sink.begin(this.#begun)
    this.#commit.reach(this.#begun)
  }

  #outcomeOf(endpoint: Endpoint, finish: FinishReason): Outcome {
    const { attempts, warnings } = this.#begun!
    const { bill, costUsd } = this.operation
    return { endpoint, attempts, warnings, finish, usage: bill.usage, costUsd }
  }

  #keep(prepared: Prepared): Maybe<void> {
    return this.#keeping.keep(this.#finished!, prepared, () => this.#answer.shown.items())
  }

  /** A provider's protocol violation may surface only at the end, outside the relay that handles failures. */
  #publicly(thrown: unknown): unknown {
    const media = MediaError.behind(thrown)
    if (media) return media.publicly((media.url !== undefined && pathOfMedia(this.asked.input, media.url)) || 'input')
    const reply = this.#rounds?.reply
    return ProviderFailure.is(thrown) && reply ? reply.publicError(thrown) : thrown
  }

  #tell(error: GatewayError): GatewayError {
    const { bill, costUsd } = this.operation
    try {
      this.#sink.fail(error, bill.usage, costUsd)
    } catch (unwritable) {
      this.context.log.error('could not write a failure', { request: this.context.id, ...describeError(unwritable) })
    }
    this.#commit.reach(error)
    return error
  }

  /** Ends the round under way. The output so far is billed, no matter who ended it. */
  #leave(): Maybe<unknown> {
    const rounds = this.#rounds
    if (!this.#given && !rounds?.isUnderWay) return undefined
    const leaving = rounds?.leave()
    this.#answer.forget()
    return leaving
  }
}
