import type { Attempt } from '../attempts/attempt.ts'
import { Failover, failoverDependencies } from '../attempts/failover.ts'
import type { Lane } from '../attempts/lane.ts'
import { SendingRulesIndex } from '../attempts/sending-rules.ts'
import { StreamPace } from '../attempts/stream-pace.ts'
import type { Reservation } from '../billing/reservation.ts'
import { estimateUsage, soundUsage } from '../billing/cost.ts'
import type { GenerationEvent, TokenUsage } from '../contracts/events.ts'
import type { Credential, Provider, ProviderFailure, SlowStream, Yielded } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import type { LiveAnswer } from '../operation/live-answer.ts'
import type { Candidate } from '../routing/plan.ts'
import { passOver } from '../routing/routing-record.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import type { Raised } from './lowering/draft.ts'
import { Lowering } from './lowering/lowering.ts'
import { checkEvent } from './check-event.ts'
import type { OpenTools } from './tools/open-tools.ts'
import { isAnswering, type RaisedEvent } from './raised-event.ts'

const dependencies = { ...failoverDependencies, lowering: Lowering, providers: Providers, rules: SendingRulesIndex }

/** What aborts attempts, and the record that lists them. */
export type Surroundings = Pick<RequestScope, 'cancellation' | 'record'>

export interface AnswerSurroundings extends Surroundings {
  /** Counts the memory of their answers. */
  readonly answer: LiveAnswer
  /** The gateway's tools that the request may use. */
  readonly tools?: OpenTools | undefined
}

/** Tries candidates in order until one answers. */
export class Attempts {
  readonly #lowering: Lowering
  readonly #providers: Registry<Provider>
  readonly #rules: SendingRulesIndex
  readonly failover: Failover

  static {
    wire(this, dependencies)
  }

  constructor({ lowering, providers, rules, ...services }: Dependencies<typeof dependencies>) {
    this.#lowering = lowering
    this.#providers = providers
    this.#rules = rules
    this.failover = new Failover({ ...services, operation: 'generation', plugins: providers })
  }

  /** Returns an attempt that has its first semantic event. Throws the public error of the last failure once nothing is left to try. */
  open(
    candidates: readonly Candidate[],
    request: GenerationRequest,
    context: RunContext,
    surroundings: AnswerSurroundings,
    reservation?: Reservation,
  ): Promise<Attempt<RaisedEvent>> {
    surroundings.answer.keep()
    return this.failover.first(candidates, context, surroundings.cancellation, {
      attempt: (candidate, credential, lane) => this.#try(candidate, credential, lane, request, context, surroundings, reservation),
      sorted: (inTurn, candidate) => this.#lowering.withStateFirst(inTurn, request, candidate, context.caller),
      passedOver: ({ endpoint }, why) => passOver(surroundings.record, endpoint, why),
      hedgeAfterMs: candidates.length > 1 ? this.#rules.hedgeAfterMs(candidates[0]!, request.stream === true) : undefined,
    })
  }

  async #try(
    candidate: Candidate,
    credential: Credential | undefined,
    lane: Lane,
    request: GenerationRequest,
    context: RunContext,
    { record, answer, tools }: AnswerSurroundings,
    reservation: Reservation | undefined,
  ): Promise<Attempt<RaisedEvent> | ProviderFailure> {
    // The other lane of a race may have an answer.
    if (!lane.isRacing) answer.restart()
    const { endpoint, provider } = candidate
    const pluginOf = (): string => this.#providers.pluginOf(provider.id) ?? provider.id
    const outputLimit = reservation && (await reservation.outputLimit(endpoint))
    const offered = tools?.offerTo(endpoint, request)
    const lowered = this.#lowering.lower(offered?.request ?? request, candidate, credential, context.caller, outputLimit)
    const { timeouts, slowStream } = this.#rules.of(provider)
    const isStream = request.stream === true
    const parts = {
      candidate,
      credential,
      warnings: offered ? [...offered.warnings, ...lowered.warnings] : lowered.warnings,
      totalMs: timeouts.totalMs,
      streamed: isStream ? timeouts : undefined,
      lane,
      record,
    }
    const run = async (attempt: Attempt<RaisedEvent>): Promise<Attempt<RaisedEvent>> => {
      const events = provider.generate({
        request: lowered.request,
        endpoint,
        credentialId: credential?.id,
        signal: attempt.signal,
        context,
        clock: attempt,
        holds: bytes => answer.hold(bytes),
      })
      const count = (event: RaisedEvent): void => {
        checkEvent(event, pluginOf)
        if (event.type !== 'suppressed-call') answer.count(event)
      }
      if (lowered.raises.length === 0) attempt.begin(events, count)
      else attempt.begin(lowered.raises.reduce<AsyncIterable<Raised>>((below, raise) => raise(below, attempt), counted(events, count)))
      for (;;) {
        const event = attempt.take() ?? (await attempt.next())
        if (!event) throw cutShort(provider.id)
        if (event.type === 'warning') attempt.warnings.push({ param: event.param, message: event.message })
        else attempt.head.push(event)
        if (!isAnswering(event)) continue
        attempt.commit()
        if (isStream && slowStream && !lane.line.isEmpty) await showsPace(attempt, event, slowStream)
        return attempt
      }
    }
    const mayLose = lane.role !== 'only'
    const lossOf = mayLose ? (attempt: Attempt<RaisedEvent>) => usageIn(attempt) ?? estimateUsage(request, 0) : undefined
    return await this.failover.attempt(parts, context, { reservation, run, usageOf: usageIn, lossOf })
  }
}

/** Waits until the stream is as fast as it should be. Throws a time-out if it is not. */
async function showsPace(attempt: Attempt<RaisedEvent>, first: RaisedEvent, slowStream: SlowStream): Promise<void> {
  const pace = new StreamPace(slowStream, attempt)
  try {
    for (let event = first; !pace.isEnough(event);) {
      const next = attempt.take() ?? (await attempt.next())
      if (!next) throw cutShort(attempt.candidate.provider.id)
      attempt.head.push((event = next))
    }
  } finally {
    pace.stop()
  }
}

/** Vendors may bill attempts that failed, too. */
function usageIn({ head }: Attempt<RaisedEvent>): TokenUsage | undefined {
  const last = head.findLast(event => event.type === 'usage')
  return last && soundUsage(last.usage)
}

/** Counts events before raises, because some raises hold events back. */
async function* counted(events: AsyncIterable<Yielded>, count: (event: GenerationEvent) => void): AsyncGenerator<Yielded> {
  for await (const yielded of events) {
    if ('type' in yielded) count(yielded)
    else for (const event of yielded) count(event)
    yield yielded
  }
}
