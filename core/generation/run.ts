import type { Endpoint } from '../contracts/catalog.ts'
import type { FinishReason } from '../contracts/events.ts'
import type { Item } from '../contracts/items.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Commitment, FinishedAnswer, GenerationRun, GenerationSink, Outcome } from '../contracts/route.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { describeError } from '../foundation/logger.ts'
import type { LiveOperations } from '../operation/live-operations.ts'
import { Operation } from '../operation/operation.ts'
import type { Candidate } from '../routing/plan.ts'
import { MediaError } from '../upstream/media/media-error.ts'
import { pathOfMedia } from '../upstream/media/media-parts.ts'
import { Answer } from './answer.ts'
import type { AnswerSurroundings } from './attempts.ts'
import type { RunServices } from './generation.ts'
import { located } from './located.ts'
import type { ModelCall } from './model-call.ts'
import { answerGuards, type AnswerGuards } from '../guards/answer-guards.ts'
import { applyInputGuards, type OpenGuard } from '../guards/input-guards.ts'
import { prepare } from './preparation.ts'
import { relay } from './relay.ts'
import type { Reply } from './reply.ts'
import type { OpenTools } from './tools/open-tools.ts'
import { ToolRounds } from './tools/tool-rounds.ts'
import { sealState, type Seal } from '../routing/state.ts'

const maximumPauses = 8

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
  /** The request after history was added and guards ran. */
  #request: GenerationRequest
  /** The items that this request adds to the conversation. */
  #added: readonly Item[] = []
  #begun: Commitment | undefined
  /** The same before input guards changed it. */
  #unguarded: GenerationRequest
  #guards: readonly OpenGuard[] = []
  #tools: ToolRounds | undefined
  /** Of the latest round. */
  #reply: Reply | undefined
  /** Characters said in the rounds that are over. */
  #saidBefore = 0
  #finish: FinishReason = 'stop'

  constructor(services: RunServices, scope: RequestScope, request: GenerationRequest, sink: GenerationSink) {
    this.#services = services
    this.#scope = scope
    this.#asked = request
    this.#request = request
    this.#unguarded = request
    this.#sink = sink
    this.#answer = new Answer(services.ids, sink)
    this.#operation = new Operation(scope, request.model, services.settings.runTimeoutMs)
    this.#context = this.#operation.context
    const { cancellation, record } = scope
    this.#surroundings = { cancellation, record, answer: services.answers.open(reason => this.#makeRoom(reason)) }
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

  async #go(): Promise<Outcome | GatewayError> {
    let result: Outcome | GatewayError
    try {
      result = await this.#generate()
    } catch (thrown) {
      result = this.#failed(thrown)
    }
    clearTimeout(this.#commitTimer)
    this.#surroundings.answer.close()
    const ending = this.#operation.end(result instanceof GatewayError)
    if (ending) await ending
    return result
  }

  async #generate(): Promise<Outcome> {
    const entered = this.#services.requestLimits.enter(this.#context.caller.key)
    if (entered) this.#operation.onEnd(await entered)
    const preparing = prepare(this.#services, this.#asked, this.#context, this.#scope)
    const prepared = preparing instanceof Promise ? await preparing : preparing
    this.#added = prepared.added
    this.#request = prepared.request
    this.#unguarded = prepared.extended
    this.#guards = prepared.guards
    if (prepared.tools) this.#tools = this.#toolRounds(prepared.tools)
    const reserving = this.#services.calls.reserve(this.#request, prepared.candidates, {
      operation: this.#operation,
      context: this.#context,
      surroundings: this.#tools ? { ...this.#surroundings, tools: this.#tools.tools } : this.#surroundings,
    })
    const call = reserving instanceof Promise ? await reserving : reserving
    if (prepared.guards.length > 0) this.#answer.guardBy(this.#answerGuards(prepared.guards))
    this.#commitInTime()
    if (this.#tools) await this.#beginTools(this.#tools, call)
    const { endpoint } = await this.#rounds(call)
    this.#answer.end(this.#finish)
    const checking = this.#answer.settled()
    if (checking) await checking
    const outcome = this.#outcome(endpoint)
    const finished = this.#sink.close(outcome)
    this.#scope.record.answerId = finished.id
    const stored = this.#stores && (await this.#store(finished))
    const settling = this.#operation.settle(false)
    if (settling) await settling
    this.#sink.end(stored)
    // Without a choice of endpoints, there is nothing to remember.
    if (this.#scope.record.routing)
      this.#services.affinity.remember(this.#request, this.#context.caller, endpoint, stored ? finished.id : undefined)
    this.#scope.record.content(this.#asked as unknown as JsonObject, finished.body)
    return outcome
  }

  #answerGuards(guards: readonly OpenGuard[]): AnswerGuards | undefined {
    const { format } = this.#request.text ?? {}
    return answerGuards(guards, {
      context: this.#context,
      isJson: format !== undefined && format.type !== 'text',
      maxCharacters: this.#services.settings.maxAnswerBytes,
      show: event => this.#answer.show(event),
      end: reason => this.#scope.cancellation.abort(reason),
    })
  }

  /**
   * Round 1 chooses the candidate. If its reply pauses, the same candidate is asked to go on. After calls of the gateway's tools it is the
   * first one, but others may follow.
   */
  async #rounds(call: ModelCall): Promise<Candidate> {
    let request = this.#request
    let among = call.candidates
    for (let pauses = 0; ;) {
      const reply = await this.#open(call, request, among)
      if (!reply) {
        this.#finish = 'length'
        return among[0]!
      }
      this.#reply = reply
      const { candidate } = reply.attempt
      this.#answer.sealBy(this.#seal(reply))
      this.#begin(reply)
      this.#tools?.open()
      const relaying = this.#relay(reply)
      if (relaying) await relaying
      const costUsd = reply.bill(this.#saidNow)
      reply.end()
      this.#saidBefore = this.#answer.transcript.characters
      const { finish } = reply
      // A reply that still pauses after the last round stops there.
      this.#finish = finish === 'pause' ? 'stop' : finish!
      if (finish !== 'pause' && !this.#tools) return candidate
      call.roundOver(costUsd)
      if (finish === 'pause') {
        if (++pauses === maximumPauses) return candidate
        among = [candidate]
        request = await this.#resumed()
      } else {
        if (!(await this.#tools!.run(finish, candidate.endpoint, call))) return candidate
        among = [candidate, ...call.candidates.filter(other => other !== candidate)]
        request = await this.#continued()
      }
      call.nextRound(request)
    }
  }

  #toolRounds(tools: OpenTools): ToolRounds {
    return new ToolRounds(tools, {
      request: this.#request,
      context: this.#context,
      operation: this.#operation,
      answer: this.#answer,
      memory: this.#surroundings.answer,
      ids: this.#services.ids,
      limits: this.#services.settings,
    })
  }

  async #beginTools(tools: ToolRounds, call: ModelCall): Promise<void> {
    const added = await tools.begin(call)
    if (added.length > 0) this.#request = await this.#grown(added)
  }

  /** The next request after a pause. */
  async #resumed(): Promise<GenerationRequest> {
    if (this.#tools?.hasRun) return await this.#continued()
    // Items are sealed when they are shown, for the reply that they come from.
    const checking = this.#answer.settled()
    if (checking) await checking
    return { ...this.#request, input: [...this.#request.input, ...this.#answer.transcript.items()] }
  }

  /** The next request after tools ran. */
  async #continued(): Promise<GenerationRequest> {
    const checking = this.#answer.settled()
    if (checking) await checking
    return await this.#grown(this.#answer.shown.items())
  }

  /** The request with more of the conversation. Guardrails see what tools returned before a model does. */
  async #grown(items: readonly Item[]): Promise<GenerationRequest> {
    const grown = { ...this.#unguarded, input: [...this.#unguarded.input, ...items] }
    const checked = this.#guards.length > 0 ? await applyInputGuards(grown, this.#guards, this.#context) : grown
    return this.#services.tools.readable(checked)
  }

  /** Undefined if the spend cap leaves nothing for another round: the answer then ends there, incomplete. */
  async #open(call: ModelCall, request: GenerationRequest, candidates: readonly Candidate[]): Promise<Reply | undefined> {
    try {
      return await call.open(request, candidates)
    } catch (error) {
      if (this.#begun && error instanceof GatewayError && error.status === 402) return undefined
      throw error
    }
  }

  /** Undefined if the whole reply has arrived. */
  #relay(reply: Reply): Promise<void> | undefined {
    try {
      return relay(reply, this.#answer, this.#sink)?.catch(error => Promise.reject(reply.fail(error)))
    } catch (error) {
      throw reply.fail(error)
    }
  }

  #seal({ attempt }: Reply): Seal {
    const { candidate, credential } = attempt
    const { endpoint } = candidate
    const binding = { org: this.#context.caller.key.org, provider: endpoint.provider, account: credential?.account, model: endpoint.model }
    return (kind, opaque) => sealState(this.#services.sealer, binding, kind, opaque)
  }

  /** Called when all answers together use too much memory and this one uses the most. */
  #makeRoom(reason: GatewayError): void {
    const { answer, cancellation } = this.#surroundings
    this.#context.log.warn('the largest answer was ended to free memory', { request: this.#context.id, bytes: answer.bytes })
    cancellation.abort(reason)
  }

  /** Characters generated in the current round. */
  get #saidNow(): number {
    return this.#answer.transcript.characters - this.#saidBefore
  }

  /** Sends a stream's status after a while even without an answer, so that proxies and clients keep the connection open. */
  #commitInTime(): void {
    if (!this.#asked.stream) return
    this.#commitTimer = setTimeout(
      () => this.#commit({ endpoint: undefined, attempts: 0, warnings: [], store: this.#stores }),
      this.#services.settings.commitAfterMs,
    )
  }

  #begin({ attempt }: Reply): void {
    if (this.#begun) return
    clearTimeout(this.#commitTimer)
    const { endpoint } = attempt.candidate
    this.#operation.answeredBy(endpoint)
    this.#scope.record.answerId = this.#sink.id ?? null
    this.#begun = { endpoint, attempts: this.#scope.record.attempts.length + 1, warnings: attempt.warnings, store: this.#stores }
    this.#sink.begin(this.#begun)
    this.#commit(this.#begun)
  }

  #outcome(endpoint: Endpoint): Outcome {
    const { attempts, warnings } = this.#begun!
    const { usage, costUsd } = this.#operation.bill
    return { endpoint, attempts, warnings, finish: this.#finish, usage, costUsd }
  }

  /** True if the caller allows it and the key's policy has logging on: docs/protocol/stored-responses.md. */
  get #stores(): boolean {
    return this.#asked.store !== false && this.#context.caller.policy.logging.value
  }

  async #store(finished: FinishedAnswer): Promise<boolean> {
    const { id: requestId, caller } = this.#context
    const answered = {
      previousId: this.#asked.previous_response_id,
      added: this.#added,
      said: this.#answer.shown.items(),
      finished,
    }
    return await this.#services.history.keep(caller, answered, requestId)
  }

  /** A provider's protocol violation may surface only at the end, outside the relay that handles failures. */
  #publicly(thrown: unknown): unknown {
    const media = MediaError.behind(thrown)
    if (media) return media.publicly((media.url !== undefined && pathOfMedia(this.#asked.input, media.url)) || 'input')
    return ProviderFailure.is(thrown) && this.#reply ? this.#reply.publicError(thrown) : thrown
  }

  #failed(thrown: unknown): GatewayError {
    const error = this.#operation.failed(located(this.#publicly(thrown), this.#asked))
    this.#leave(error)
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

  /** Ends the round that was under way. What it is known to have cost is billed, and an estimate if the client left in the middle. */
  #leave({ status }: GatewayError): void {
    const reply = this.#reply
    if (!reply || reply.isBilled) return
    reply.attempt.end('left', reply.usage)
    if (reply.usage || (status === 499 && this.#saidNow > 0)) reply.bill(this.#saidNow)
  }
}
