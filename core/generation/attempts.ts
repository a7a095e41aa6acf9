import type { Reservation } from '../billing/reservation.ts'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import type { GenerationEvent, TokenUsage } from '../contracts/events.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { ProviderFailure, type Credential, type Provider, type Timeouts, type Yielded } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Providers } from '../framework/extension-points.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Masks } from '../foundation/masks.ts'
import { Backoff } from '../attempts/backoff.ts'
import { Failover } from '../attempts/failover.ts'
import type { LiveAnswer } from '../operation/live-answer.ts'
import type { Registry } from '../framework/registry.ts'
import type { Candidate } from '../routing/plan.ts'
import { Settings } from '../framework/settings.ts'
import { Credentials } from '../attempts/credentials.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import { Attempt } from '../attempts/attempt.ts'
import { soundUsage } from '../billing/cost.ts'
import { generationForms } from '../attempts/public-error.ts'
import type { Raised } from './lowering/draft.ts'
import { Lowering } from './lowering/lowering.ts'
import { isAnswering, type RaisedEvent } from './raised-event.ts'

const defaultTimeouts: Timeouts = { connectMs: 10_000, firstEventMs: 120_000, betweenEventsMs: 120_000, totalMs: 600_000 }

/** What aborts attempts, and the record that lists them. */
export type Surroundings = Pick<RequestScope, 'cancellation' | 'record'>

export interface AnswerSurroundings extends Surroundings {
  /** Counts the memory of their answers. */
  readonly answer: LiveAnswer
}

/** Tries candidates in order until one answers. */
export class Attempts {
  readonly #clock: Clock
  readonly #metrics: MetricStore
  readonly #lowering: Lowering
  readonly failover: Failover

  static {
    wire(this, [Clock, MetricStore, Credentials, Lowering, Providers, Masks.token, Settings, Backoff])
  }

  constructor(
    clock: Clock,
    metrics: MetricStore,
    credentials: Credentials,
    lowering: Lowering,
    providers: Registry<Provider>,
    masks: Masks,
    { maxAttempts, retries }: Settings,
    backoff: Backoff,
  ) {
    this.#clock = clock
    this.#metrics = metrics
    this.#lowering = lowering
    this.failover = new Failover({
      credentials,
      masks,
      maxAttempts,
      retries,
      backoff,
      clock,
      pluginOf: provider => providers.pluginOf(provider),
      forms: generationForms,
    })
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
    const sorted = (inTurn: readonly (Credential | undefined)[], candidate: Candidate) =>
      this.#lowering.withStateFirst(inTurn, request, candidate, context.caller)
    return this.failover.first(
      candidates,
      context,
      (candidate, credential) => this.#try(candidate, credential, request, context, surroundings, reservation),
      sorted,
    )
  }

  async #try(
    candidate: Candidate,
    credential: Credential | undefined,
    request: GenerationRequest,
    context: RunContext,
    { cancellation, record, answer }: AnswerSurroundings,
    reservation: Reservation | undefined,
  ): Promise<Attempt<RaisedEvent> | ProviderFailure> {
    answer.restart()
    const { endpoint, provider } = candidate
    const outputLimit = reservation && (await reservation.outputLimit(endpoint))
    const lowered = this.#lowering.lower(request, candidate, credential, context.caller, outputLimit)
    const timeouts = { ...defaultTimeouts, ...provider.timeouts }
    const attempt = new Attempt<RaisedEvent>({
      candidate,
      credential,
      warnings: lowered.warnings,
      totalMs: timeouts.totalMs,
      streamed: request.stream === true ? timeouts : undefined,
      run: cancellation,
      clock: this.#clock,
      metrics: this.#metrics,
      record,
    })
    const outcome = this.failover.outcome(candidate, context, attempt, async () => {
      const events = provider.generate({
        request: lowered.request,
        endpoint,
        credentialId: credential?.id,
        signal: attempt.signal,
        context,
        clock: attempt,
        holds: bytes => answer.hold(bytes),
      })
      const count = (event: RaisedEvent): void => void (event.type === 'suppressed-call' || answer.count(event))
      if (lowered.raises.length === 0) attempt.begin(events, count)
      else attempt.begin(lowered.raises.reduce<AsyncIterable<Raised>>((below, raise) => raise(below, attempt), counted(events, count)))
      for (;;) {
        const event = attempt.take() ?? (await attempt.next())
        if (!event) throw cutShort(provider.id)
        if (event.type === 'warning') attempt.warnings.push({ param: event.param, message: event.message })
        else attempt.head.push(event)
        if (!isAnswering(event)) continue
        attempt.commit()
        return attempt
      }
    })
    return reservation ? await accounted(outcome, attempt, reservation) : await outcome
  }
}

/** Vendors also bill failed attempts. */
async function accounted(
  outcome: Promise<Attempt<RaisedEvent> | ProviderFailure>,
  { candidate: { endpoint }, head }: Attempt<RaisedEvent>,
  reservation: Reservation,
): Promise<Attempt<RaisedEvent> | ProviderFailure> {
  try {
    const result = await outcome
    if (ProviderFailure.is(result)) reservation.attemptFailed(endpoint, usageIn(head), result)
    return result
  } catch (error) {
    reservation.attemptFailed(endpoint, usageIn(head))
    throw error
  }
}

/** The last usage that was reported. */
function usageIn(events: readonly RaisedEvent[]): TokenUsage | undefined {
  const told = events.findLast(event => event.type === 'usage')
  return told && soundUsage(told.usage)
}

/** Counts events before raises, because some raises hold events back. */
async function* counted(events: AsyncIterable<Yielded>, count: (event: GenerationEvent) => void): AsyncGenerator<Yielded> {
  for await (const yielded of events) {
    if ('type' in yielded) count(yielded)
    else for (const event of yielded) count(event)
    yield yielded
  }
}
