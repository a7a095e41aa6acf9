import type { Attempt } from '../attempts/attempt.ts'
import { Failover, failoverDependencies } from '../attempts/failover.ts'
import type { Reservation } from '../billing/reservation.ts'
import { soundUsage } from '../billing/cost.ts'
import type { GenerationEvent, TokenUsage } from '../contracts/events.ts'
import type { Credential, Provider, ProviderFailure, Timeouts, Yielded } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import type { LiveAnswer } from '../operation/live-answer.ts'
import type { Candidate } from '../routing/plan.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import type { Raised } from './lowering/draft.ts'
import { Lowering } from './lowering/lowering.ts'
import { checkEvent } from './check-event.ts'
import { isAnswering, type RaisedEvent } from './raised-event.ts'

const dependencies = { ...failoverDependencies, lowering: Lowering, providers: Providers }

const defaultTimeouts: Timeouts = { connectMs: 10_000, firstEventMs: 120_000, betweenEventsMs: 120_000, totalMs: 600_000 }

/** What aborts attempts, and the record that lists them. */
export type Surroundings = Pick<RequestScope, 'cancellation' | 'record'>

export interface AnswerSurroundings extends Surroundings {
  /** Counts the memory of their answers. */
  readonly answer: LiveAnswer
}

/** Tries candidates in order until one answers. */
export class Attempts {
  readonly #lowering: Lowering
  readonly #providers: Registry<Provider>
  readonly failover: Failover

  static {
    wire(this, dependencies)
  }

  constructor({ lowering, providers, ...services }: Dependencies<typeof dependencies>) {
    this.#lowering = lowering
    this.#providers = providers
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
    const pluginOf = (): string => this.#providers.pluginOf(provider.id) ?? provider.id
    const outputLimit = reservation && (await reservation.outputLimit(endpoint))
    const lowered = this.#lowering.lower(request, candidate, credential, context.caller, outputLimit)
    const timeouts = { ...defaultTimeouts, ...provider.timeouts }
    const parts = {
      candidate,
      credential,
      warnings: lowered.warnings,
      totalMs: timeouts.totalMs,
      streamed: request.stream === true ? timeouts : undefined,
      run: cancellation,
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
        return attempt
      }
    }
    return await this.failover.attempt(parts, context, { reservation, run, usageOf: usageIn })
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
