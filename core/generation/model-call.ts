import { Failover, failoverDependencies } from '../call/attempts/failover.ts'
import type { Lane } from '../call/attempts/lane.ts'
import { SendingRulesIndex } from '../call/attempts/sending-rules.ts'
import { Uncovered, type Work } from '../call/attempts/work.ts'
import type { LiveAnswer, ReplyMemory } from '../call/live-answer.ts'
import { needOf, requestsTo } from '../billing/token-need.ts'
import { UnreportedUsage } from '../billing/unreported-usage.ts'
import type { PassedOver } from '../contracts/log-sink.ts'
import type { Credential, Provider, ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import type { Masks } from '../foundation/masks.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import type { Cover, Reservation } from '../limits/reservation.ts'
import { Reservations } from '../limits/reservations.ts'
import { ProviderMistake } from '../provider-kit/provider-mistake.ts'
import type { Candidate } from '../routing/plan.ts'
import { mistakeAt } from '../routing/provider-capabilities.ts'
import { passOver } from '../routing/routing-record.ts'
import type { Cancellation } from '../runtime/cancellation.ts'
import type { Maybe } from '../runtime/pending.ts'
import { Lowering, type Lowered } from './lowering/lowering.ts'
import { showsProgress } from './lowering/progress.ts'
import type { Payer } from './payer.ts'
import { ModelReply } from './model-reply.ts'
import type { Said } from './said.ts'
import type { OpenTools } from './tools/open-tools.ts'
import type { ToolSecrets } from './tools/tool-secrets.ts'

const dependencies = {
  ...failoverDependencies,
  lowering: Lowering,
  providers: Providers,
  rules: SendingRulesIndex,
  reservations: Reservations,
  unreported: UnreportedUsage,
}

interface CallServices {
  readonly lowering: Lowering
  readonly providers: Registry<Provider>
  readonly rules: SendingRulesIndex
  readonly reservations: Reservations
  readonly unreported: UnreportedUsage
  readonly failover: Failover
  readonly masks: Masks
}

/** The context of a model call. */
export interface CallScope extends Pick<RequestScope, 'cancellation' | 'record'> {
  readonly payer: Payer
  /** The operation's own, or that of a part which can be aborted alone. */
  readonly context: RunContext
  /** Counts the memory of the answers. */
  readonly memory: LiveAnswer
  /** The gateway's tools that the request may use. */
  readonly tools?: OpenTools | undefined
  /** For endpoints that run the tools themselves. */
  readonly toolSecrets?: ToolSecrets | undefined
  /** The answer so far. Replies are written to it as they are taken. */
  readonly said: Said
  /** True if the answer may end early once the hold for its replies is used up. */
  readonly mayEndEarly?: boolean
}

/** One of several replies to the same request. */
interface ReplyPart {
  readonly memory: ReplyMemory
  readonly said: Said
}

/** Calls models: for a generation, and for every question that a decision asks a model. */
export class ModelCalls {
  readonly #services: CallServices

  static {
    wire(this, dependencies)
  }

  constructor({ lowering, providers, rules, reservations, unreported, ...services }: Dependencies<typeof dependencies>) {
    const failover = new Failover({ ...services, operation: 'generation', plugins: providers })
    this.#services = { lowering, providers, rules, reservations, unreported, failover, masks: services.masks }
  }

  /** Reserves tokens and credit, at once if the key has no limits. Throws 402 and 429. */
  reserve(request: GenerationRequest, candidates: readonly Candidate[], scope: CallScope): Maybe<ModelCall> {
    const services = this.#services
    const reserving = services.reservations.reserve(
      scope.context,
      () => needOf(request),
      candidates,
      candidate => canGrowAt(candidate, request, scope, services),
    )
    if (!reserving) return new ModelCall(services, scope, candidates, undefined)
    return reserving.then(reservation => {
      scope.payer.hold(reservation)
      const affordable = reservation.affordable(candidates)
      if (affordable.length < candidates.length)
        for (const each of candidates) if (!affordable.includes(each)) passOver(scope.record, each.endpoint, 'credit')
      return new ModelCall(services, scope, affordable, reservation)
    })
  }
}

/** True if the hold can grow while the endpoint replies, because it shows what it generates: it says so, or it always did. */
function canGrowAt(candidate: Candidate, request: GenerationRequest, { mayEndEarly }: CallScope, { reservations }: CallServices): boolean {
  // Several choices are generated at the same time, so a hold that follows the first one would come too late for the others.
  if (!mayEndEarly || request.choices !== undefined) return false
  const shows = showsProgress(request, candidate)
  return shows !== false && (reservations.usual.shows(candidate.endpoint) ?? shows ?? false)
}

/** One call: a reply or, where the provider pauses, several rounds of replies. Each round tries candidates in order until one answers. */
export class ModelCall implements Work<Candidate, ModelReply> {
  /** At least one. */
  readonly candidates: readonly Candidate[]
  /** Of the round: when to ask a second candidate, too. */
  hedgeAfterMs: number | undefined
  readonly #services: CallServices
  readonly #scope: CallScope
  readonly #reservation: Reservation | undefined
  /** Of the round. */
  #request!: GenerationRequest
  /** Set for a round whose replies the caller does not see, such as a summary. */
  #said: Said | undefined

  constructor(services: CallServices, scope: CallScope, candidates: readonly Candidate[], reservation: Reservation | undefined) {
    this.#services = services
    this.#scope = scope
    this.candidates = candidates
    this.#reservation = reservation
  }

  /**
   * Begins a round: asks the candidates in order until one begins to answer. The reply has its first semantic event. Throws the public
   * error of the last failure, or 402. `said`: receives the reply, if the caller does not see it.
   */
  open(request: GenerationRequest, candidates: readonly Candidate[] = this.candidates, said?: Said): Promise<ModelReply> {
    const { failover, rules } = this.#services
    const { context, cancellation, memory } = this.#scope
    // Freezing a long conversation takes a quarter of the gateway's time for it, so only what others get is frozen.
    if ((candidates.length > 1 || context.caller.policy.logging.value) && !Object.isFrozen(request)) freezeDeeply(request)
    this.#request = request
    this.#said = said
    this.hedgeAfterMs = candidates.length > 1 ? rules.hedgeAfterMs(candidates[0]!, request.stream === true) : undefined
    memory.keep()
    return failover.first(candidates, context, cancellation, this)
  }

  /** Called by `Failover`. */
  attempt(candidate: Candidate, credential: Credential | undefined, lane: Lane): Maybe<ModelReply | ProviderFailure | Uncovered> {
    if (!this.#reservation) return this.#attempt(candidate, credential, lane, undefined)
    const covering = this.#reservation.cover(candidate.endpoint, this.#canGrow(candidate))
    return covering.then(
      cover => this.#attempt(candidate, credential, lane, cover),
      error => uncovered(error),
    )
  }

  /**
   * Asks the endpoint of a reply once more, for the choice of this number from 0. A single attempt, which the hold covers already.
   * `said`: the answer so far, as far as it is of this choice.
   */
  askAgain({ attempt: first, cover }: ModelReply, choice: number, said: Said, run: Cancellation): Promise<ModelReply> {
    const { failover } = this.#services
    const { context, memory } = this.#scope
    const { candidate, credential } = first
    const request = requestOfChoice(this.#request, choice)
    const part = { memory: memory.beside(), said }
    return failover.first([candidate], context, run, {
      maxAttempts: 1,
      sorted: () => [credential],
      attempt: (_, same, lane) => this.#attempt(candidate, same, lane, cover, request, part),
    })
  }

  /** Called by `Failover`. */
  sorted(inTurn: readonly (Credential | undefined)[], candidate: Candidate): readonly (Credential | undefined)[] {
    return this.#services.lowering.withStateFirst(inTurn, this.#request, candidate, this.#scope.context.caller)
  }

  /** Called by `Failover`. */
  passedOver({ endpoint }: Candidate, why: PassedOver): void {
    passOver(this.#scope.record, endpoint, why)
  }

  /** Call when a round is over. `costUsd` is its cost, null if unknown. */
  roundOver(costUsd: number | null): void {
    this.#reservation?.roundOver(costUsd)
  }

  /** Holds the cost of work between rounds. False if the credit does not cover it. */
  async spend(usd: number): Promise<boolean> {
    return this.#reservation ? await this.#reservation.spend(usd) : true
  }

  giveBack(usd: number): void {
    this.#reservation?.giveBack(usd)
  }

  /** Call before another round. */
  nextRound(request: GenerationRequest): void {
    this.#reservation?.nextRound(() => needOf(request))
  }

  #canGrow(candidate: Candidate): boolean {
    return canGrowAt(candidate, this.#request, this.#scope, this.#services)
  }

  #attempt(
    candidate: Candidate,
    credential: Credential | undefined,
    lane: Lane,
    cover: Cover | undefined,
    request = requestAt(candidate, this.#request),
    { memory, said }: ReplyPart = { memory: this.#scope.memory, said: this.#said ?? this.#scope.said },
  ): Maybe<ModelReply | ProviderFailure> {
    const { providers, rules, failover, unreported, masks } = this.#services
    const { context, record, payer, tools, toolSecrets } = this.#scope
    const reservation = this.#reservation
    const { endpoint, provider } = candidate
    // The other lane of a race may have an answer.
    if (!lane.isRacing) memory.restart()
    const offered = tools?.offerTo(endpoint, request)
    const asked = offered?.request ?? request
    const allowance = cover?.allowance
    // Under a cap, a plain reply is requested as a stream, too, to see how much arrives even if the caller leaves.
    const isWatched = allowance !== undefined || (reservation?.isCapped === true && this.#canGrow(candidate))
    const sent = isWatched && !asked.stream ? { ...asked, stream: true } : asked
    const lowered = this.#lowered(toolSecrets ? toolSecrets.restored(sent) : sent, candidate, credential, cover)
    const { timeouts, slowStream } = rules.of(provider)
    const parts = {
      candidate,
      credential,
      warnings: offered ? [...offered.warnings, ...lowered.warnings] : lowered.warnings,
      maxOutputTokens: lowered.request.max_output_tokens ?? endpoint.maxOutputTokens,
      choices: request.choices,
      allowance,
      totalMs: timeouts.totalMs,
      streamed: sent.stream === true ? timeouts : undefined,
      lane,
      record,
    }
    const reply = new ModelReply({
      request,
      lowered,
      context,
      memory,
      payer,
      said,
      reservation,
      cover,
      unreported,
      providers,
      failures: failover.failures,
      masks,
      slowStream: request.stream ? slowStream : undefined,
      line: lane.line,
    })
    return failover.attempt(parts, context, reply)
  }

  #lowered(request: GenerationRequest, candidate: Candidate, credential: Credential | undefined, cover: Cover | undefined): Lowered {
    try {
      const mistake = mistakeAt(candidate.endpoint)
      if (mistake) throw mistake
      return this.#services.lowering.lower(request, candidate, credential, this.#scope.context.caller, cover?.outputLimit)
    } catch (mistake) {
      if (!(mistake instanceof ProviderMistake)) throw mistake
      return { request, warnings: [], raises: [], mistake }
    }
  }
}

/** The request for an endpoint that gives one choice at a time has no `choices`. */
function requestAt({ endpoint }: Candidate, request: GenerationRequest): GenerationRequest {
  return requestsTo(endpoint, request.choices) === 1 ? request : requestOfChoice(request, 0)
}

/** With the same seed, all choices would be the same. */
function requestOfChoice({ choices: _, ...request }: GenerationRequest, choice: number): GenerationRequest {
  const { seed } = request
  if (seed === undefined || choice === 0) return request
  return { ...request, seed: seed > 0 ? seed - choice : seed + choice }
}

function uncovered(error: unknown): Uncovered {
  if (error instanceof GatewayError && error.status === 402) return new Uncovered(error)
  throw error
}
