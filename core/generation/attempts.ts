import type { Attempt } from '../call/attempts/attempt.ts'
import { Failover, failoverDependencies, Uncovered, type Work } from '../call/attempts/failover.ts'
import type { Lane } from '../call/attempts/lane.ts'
import { SendingRulesIndex } from '../call/attempts/sending-rules.ts'
import type { Cover, Reservation } from '../limits/reservation.ts'
import type { PassedOver } from '../contracts/log-sink.ts'
import type { Credential, Provider, ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import type { Maybe } from '../runtime/pending.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import type { LiveAnswer } from '../call/live-answer.ts'
import { ProviderMistake } from '../provider-kit/provider-mistake.ts'
import type { Candidate } from '../routing/plan.ts'
import { mistakeAt } from '../routing/provider-capabilities.ts'
import { passOver } from '../routing/routing-record.ts'
import { Lowering, type Lowered } from './lowering/lowering.ts'
import { Opening } from './opening.ts'
import type { RaisedEvent } from './raised-event.ts'
import type { OpenTools } from './tools/open-tools.ts'

const dependencies = { ...failoverDependencies, lowering: Lowering, providers: Providers, rules: SendingRulesIndex }

interface Services {
  readonly lowering: Lowering
  readonly providers: Registry<Provider>
  readonly rules: SendingRulesIndex
  readonly failover: Failover
}

/** What aborts attempts, and the record that lists them. */
export type Surroundings = Pick<RequestScope, 'cancellation' | 'record'>

export interface AnswerSurroundings extends Surroundings {
  /** Counts the memory of their answers. */
  readonly answer: LiveAnswer
  /** The gateway's tools that the request may use. */
  readonly tools?: OpenTools | undefined
}

/** What the attempts at one request have in common. */
export interface GenerationTask {
  readonly request: GenerationRequest
  readonly context: RunContext
  readonly surroundings: AnswerSurroundings
  readonly reservation: Reservation | undefined
  /** True if the hold can grow while the candidate's reply arrives. */
  canGrow(candidate: Candidate): boolean
}

/** Tries candidates in order until one answers. */
export class Attempts {
  readonly #services: Services
  readonly failover: Failover

  static {
    wire(this, dependencies)
  }

  constructor({ lowering, providers, rules, ...services }: Dependencies<typeof dependencies>) {
    this.failover = new Failover({ ...services, operation: 'generation', plugins: providers })
    this.#services = { lowering, providers, rules, failover: this.failover }
  }

  /** Returns an attempt that has its first semantic event. Throws the public error of the last failure once nothing is left to try. */
  open(candidates: readonly Candidate[], task: GenerationTask): Promise<Attempt<RaisedEvent>> {
    const { request, context, surroundings } = task
    surroundings.answer.keep()
    const hedgeAfterMs = candidates.length > 1 ? this.#services.rules.hedgeAfterMs(candidates[0]!, request.stream === true) : undefined
    return this.failover.first(candidates, context, surroundings.cancellation, new GenerationWork(this.#services, task, hedgeAfterMs))
  }
}

class GenerationWork implements Work<Candidate, Attempt<RaisedEvent>> {
  readonly hedgeAfterMs: number | undefined
  readonly #services: Services
  readonly #task: GenerationTask

  constructor(services: Services, task: GenerationTask, hedgeAfterMs: number | undefined) {
    this.#services = services
    this.#task = task
    this.hedgeAfterMs = hedgeAfterMs
  }

  attempt(candidate: Candidate, credential: Credential | undefined, lane: Lane): Maybe<Attempt<RaisedEvent> | ProviderFailure | Uncovered> {
    const { reservation } = this.#task
    if (!reservation) return this.#attempt(candidate, credential, lane, undefined)
    const covering = reservation.cover(candidate.endpoint, this.#task.canGrow(candidate))
    return covering.then(
      cover => this.#attempt(candidate, credential, lane, cover),
      error => uncovered(error),
    )
  }

  sorted(inTurn: readonly (Credential | undefined)[], candidate: Candidate): readonly (Credential | undefined)[] {
    const { request, context } = this.#task
    return this.#services.lowering.withStateFirst(inTurn, request, candidate, context.caller)
  }

  passedOver({ endpoint }: Candidate, why: PassedOver): void {
    passOver(this.#task.surroundings.record, endpoint, why)
  }

  #attempt(
    candidate: Candidate,
    credential: Credential | undefined,
    lane: Lane,
    cover: Cover | undefined,
  ): Maybe<Attempt<RaisedEvent> | ProviderFailure> {
    const { request, context, surroundings, reservation } = this.#task
    const { providers, rules, failover } = this.#services
    const { record, answer, tools } = surroundings
    const { endpoint, provider } = candidate
    // The other lane of a race may have an answer.
    if (!lane.isRacing) answer.restart()
    const offered = tools?.offerTo(endpoint, request)
    const asked = offered?.request ?? request
    const allowance = cover?.allowance
    // To see how much comes, even if the caller leaves, a plain reply under a cap is asked for as a stream, too.
    const isWatched = allowance !== undefined || (reservation?.isCapped === true && this.#task.canGrow(candidate))
    const sent = isWatched && !asked.stream ? { ...asked, stream: true } : asked
    const lowered = this.#lowered(sent, candidate, credential, cover)
    const { timeouts, slowStream } = rules.of(provider)
    const isStream = sent.stream === true
    const parts = {
      candidate,
      credential,
      warnings: offered ? [...offered.warnings, ...lowered.warnings] : lowered.warnings,
      maxOutputTokens: lowered.request.max_output_tokens ?? endpoint.maxOutputTokens,
      allowance,
      totalMs: timeouts.totalMs,
      streamed: isStream ? timeouts : undefined,
      lane,
      record,
    }
    const opening = new Opening({
      request,
      lowered,
      context,
      answer,
      reservation,
      slowStream: request.stream ? slowStream : undefined,
      line: lane.line,
      pluginOf: () => providers.pluginOf(provider.id) ?? provider.id,
    })
    return failover.attempt(parts, context, opening)
  }

  #lowered(request: GenerationRequest, candidate: Candidate, credential: Credential | undefined, cover: Cover | undefined): Lowered {
    try {
      const mistake = mistakeAt(candidate.endpoint)
      if (mistake) throw mistake
      return this.#services.lowering.lower(request, candidate, credential, this.#task.context.caller, cover?.outputLimit)
    } catch (mistake) {
      if (!(mistake instanceof ProviderMistake)) throw mistake
      return { request, warnings: [], raises: [], mistake }
    }
  }
}

function uncovered(error: unknown): Uncovered {
  if (error instanceof GatewayError && error.status === 402) return new Uncovered(error)
  throw error
}
