import { noUsage, type FinishReason } from '../contracts/events.ts'
import type { Item } from '../contracts/items.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Commitment, GenerationSink, Outcome } from '../contracts/route.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Reservation } from '../admission/reservation.ts'
import { GatewayError } from '../errors.ts'
import { asGatewayError } from '../http/error-reply.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { describeError } from '../logger.ts'
import type { Candidate } from '../routing/plan.ts'
import type { Attempt } from './attempt.ts'
import { Bill, estimateUsage } from './cost.ts'
import type { RunServices } from './generation.ts'
import { OutputGuards } from './output-guards.ts'
import { contextOf, prepare } from './preparation.ts'
import { Relay, type Seal } from './relay.ts'
import { sealState } from './state.ts'
import { Transcript } from './transcript.ts'

const maximumRounds = 8

/** The whole life of one generation, top to bottom. */
export class Run {
  readonly #services: RunServices
  readonly #exchange: HttpExchange
  readonly #asked: GenerationRequest
  readonly #sink: GenerationSink
  readonly #context: RunContext
  readonly #transcript: Transcript
  readonly #committed = Promise.withResolvers<Commitment | GatewayError>()
  readonly #timeout: NodeJS.Timeout
  #commitTimer: NodeJS.Timeout | undefined
  /** The request with its history, as guards left it. */
  #request: GenerationRequest
  /** What this request brought to the conversation. */
  #added: readonly Item[] = []
  #reservation: Reservation | undefined
  #filter: OutputGuards | undefined
  #begun: Commitment | undefined
  #attempt: Attempt | undefined
  /** The round that is under way. */
  #round: Relay | undefined
  /** Of the rounds that are over. */
  readonly #bill = new Bill()
  /** Characters said in the rounds that are over. */
  #saidBefore = 0
  #finish: FinishReason = 'stop'

  constructor(services: RunServices, exchange: HttpExchange, request: GenerationRequest, sink: GenerationSink) {
    this.#services = services
    this.#exchange = exchange
    this.#asked = request
    this.#request = request
    this.#sink = sink
    this.#transcript = new Transcript(services.ids)
    const { cancellation, record } = exchange
    this.#context = contextOf(exchange)
    record.stream = request.stream === true
    record.requestedModel = request.model
    this.#timeout = setTimeout(() => cancellation.abort(tookTooLong(services.settings.runTimeoutMs)), services.settings.runTimeoutMs)
  }

  get committed(): Promise<Commitment | GatewayError> {
    return this.#committed.promise
  }

  async go(): Promise<Outcome | GatewayError> {
    let result: Outcome | GatewayError
    try {
      result = await this.#answer()
    } catch (thrown) {
      result = this.#failed(thrown)
    }
    clearTimeout(this.#timeout)
    clearTimeout(this.#commitTimer)
    await this.#settle(result)
    return result
  }

  async #answer(): Promise<Outcome> {
    const { contextWindow, reservations } = this.#services
    const prepared = await prepare(this.#services, this.#asked, this.#context)
    this.#added = prepared.added
    this.#request = prepared.request
    const candidates = await contextWindow.fit(prepared.candidates, this.#request)
    this.#reservation = await reservations.reserve(
      this.#context.caller.key,
      this.#request,
      candidates.map(({ endpoint }) => endpoint),
    )
    this.#filter = OutputGuards.over(prepared.guards, this.#context, event => this.#sink.write(event))
    this.#commitInTime()
    const candidate = await this.#rounds(candidates)
    return await this.#conclude(candidate)
  }

  /** Round 0 chooses the candidate; a reply that pauses goes on at the same one. */
  async #rounds(candidates: readonly Candidate[]): Promise<Candidate> {
    let request = this.#request
    let among = candidates
    for (let round = 1; ; round++) {
      const attempt = await this.#services.attempts.open(among, request, this.#context, this.#exchange)
      this.#attempt = attempt
      this.#begin(attempt)
      const { usage, finish } = await this.#relay(attempt)
      this.#bill.add(usage ?? estimateUsage(request, this.#saidNow), attempt.candidate.endpoint.price)
      attempt.end('ok', usage)
      this.#round = undefined
      this.#saidBefore = this.#transcript.characters
      // A reply that still pauses after the last round stops there.
      this.#finish = finish === 'pause' ? 'stop' : finish!
      if (finish !== 'pause' || round === maximumRounds) return attempt.candidate
      among = [attempt.candidate]
      request = { ...this.#request, input: [...this.#request.input, ...this.#said(attempt)] }
    }
  }

  async #relay(attempt: Attempt): Promise<Relay> {
    const relay = new Relay(attempt, this.#transcript, this.#filter, this.#sink, this.#seal(attempt))
    this.#round = relay
    try {
      await relay.run()
      return relay
    } catch (error) {
      const failure = this.#services.attempts.failureOf(error, attempt.candidate, this.#context)
      attempt.end(failure, relay.usage)
      throw this.#services.attempts.publicError(failure, attempt.candidate)
    }
  }

  #seal({ candidate: { endpoint }, credential }: Attempt): Seal {
    const binding = { org: this.#context.caller.key.org, provider: endpoint.provider, account: credential?.account, model: endpoint.model }
    return (kind, opaque) => sealState(this.#services.sealer, binding, kind, opaque)
  }

  /** Characters said in the current round. */
  get #saidNow(): number {
    return this.#transcript.characters - this.#saidBefore
  }

  #said(attempt: Attempt): readonly Item[] {
    return this.#transcript.items(this.#seal(attempt))
  }

  /** A stream that nothing has answered yet gets its status after a while, so that proxies and clients keep it open. */
  #commitInTime(): void {
    if (!this.#asked.stream) return
    this.#commitTimer = setTimeout(
      () => this.#committed.resolve({ endpoint: undefined, attempts: 0, warnings: [], store: this.#stores }),
      this.#services.settings.commitAfterMs,
    )
  }

  #begin(attempt: Attempt): void {
    if (this.#begun) return
    clearTimeout(this.#commitTimer)
    const { record } = this.#exchange
    const { endpoint } = attempt.candidate
    record.provider = endpoint.provider
    record.model = endpoint.model
    this.#begun = { endpoint, attempts: record.attempts.length + 1, warnings: attempt.warnings, store: this.#stores }
    this.#sink.begin(this.#begun)
    this.#committed.resolve(this.#begun)
  }

  async #conclude({ endpoint }: Candidate): Promise<Outcome> {
    this.#filter?.end()
    const { attempts, warnings } = this.#begun!
    const outcome: Outcome = {
      endpoint,
      attempts,
      warnings,
      finish: this.#finish,
      usage: this.#bill.usage,
      costUsd: this.#bill.costUsd,
    }
    const body = this.#sink.close(outcome)
    const stored = this.#stores && (await this.#store(body))
    this.#sink.end(stored)
    this.#exchange.record.content(this.#asked as unknown as JsonObject, body)
    return outcome
  }

  /** decisions.md, Stored responses: the caller does not forbid it, and the key's policy has logging on. */
  get #stores(): boolean {
    return this.#asked.store !== false && this.#context.caller.policy.logging.value
  }

  async #store(body: JsonObject): Promise<boolean> {
    const { id: requestId, caller } = this.#context
    const answered = { previousId: this.#asked.previous_response_id, added: this.#added, said: this.#said(this.#attempt!), body }
    return await this.#services.history.keep(caller, answered, requestId)
  }

  /** Whether a provider kept the rules may show only at the end, when nothing waits for another event any more. */
  #publicly(thrown: unknown): unknown {
    return ProviderFailure.is(thrown) && this.#attempt ? this.#services.attempts.publicError(thrown, this.#attempt.candidate) : thrown
  }

  #failed(thrown: unknown): GatewayError {
    const { cancellation } = this.#exchange
    const error = asGatewayError(cancellation.aborted ? cancellation.reason : this.#publicly(thrown))
    if (error.status === 500)
      this.#context.log.error('a generation failed', { request: this.#context.id, ...describeError(error.cause ?? error) })
    this.#exchange.record.errorCode = error.code
    const told = this.#round?.usage
    this.#attempt?.end('left', told)
    const spent = told ?? (error.status === 499 && this.#saidNow > 0 ? estimateUsage(this.#request, this.#saidNow) : undefined)
    if (spent) this.#bill.add(spent, this.#attempt?.candidate.endpoint.price)
    try {
      this.#sink.fail(error, this.#bill.usage)
    } catch (unwritable) {
      this.#context.log.error('a failure could not be written', { request: this.#context.id, ...describeError(unwritable) })
    }
    this.#committed.resolve(error)
    return error
  }

  /** What was delivered is charged, also to a client that left early; what was held beyond it goes back. */
  async #settle(result: Outcome | GatewayError): Promise<void> {
    const { record } = this.#exchange
    const endpoint = this.#begun?.endpoint
    record.usage = endpoint ? this.#bill.usage : null
    record.costUsd = endpoint ? this.#bill.costUsd : null
    try {
      if (endpoint && this.#bill.usage !== noUsage) await this.#reservation?.settle(this.#bill.usage, record.costUsd)
      else await this.#reservation?.release()
    } catch (error) {
      this.#context.log.error('a reservation could not be settled', {
        request: this.#context.id,
        failed: result instanceof GatewayError,
        ...describeError(error),
      })
    }
  }
}

function tookTooLong(afterMs: number): GatewayError {
  return new GatewayError({
    status: 504,
    type: 'server_error',
    code: 'provider_timeout',
    message: `The request took longer than ${afterMs / 1000} s.`,
  })
}
