import { Clock } from '../clock.ts'
import { wire } from '../container.ts'
import { isSemantic, type GenerationEvent } from '../contracts/events.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import type { ProviderFailure, Credential, Provider, Timeouts, Yielded } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Providers } from '../extension-points.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { Masks } from '../masks.ts'
import { Failover } from '../operation/failover.ts'
import type { LiveAnswer } from '../operation/live-answer.ts'
import type { Registry } from '../registry.ts'
import type { Candidate } from '../routing/plan.ts'
import { Settings } from '../settings.ts'
import { Credentials } from '../upstream/credentials.ts'
import { cutShort } from '../upstream/cut-short.ts'
import { Attempt } from './attempt.ts'
import { generationForms } from './failure.ts'
import { Lowering } from './lowering/lowering.ts'

const defaultTimeouts: Timeouts = { connectMs: 10_000, firstEventMs: 120_000, betweenEventsMs: 120_000, totalMs: 600_000 }

/** What calls attempts off, and where they are recorded. */
export type Surroundings = Pick<HttpExchange, 'cancellation' | 'record'>

export interface AnswerSurroundings extends Surroundings {
  /** Where what they say is counted. */
  readonly answer: LiveAnswer
}

/** Tries candidates in order until one answers. */
export class Attempts {
  readonly #clock: Clock
  readonly #metrics: MetricStore
  readonly #lowering: Lowering
  readonly failover: Failover

  static {
    wire(this, [Clock, MetricStore, Credentials, Lowering, Providers, Masks.token, Settings])
  }

  constructor(
    clock: Clock,
    metrics: MetricStore,
    credentials: Credentials,
    lowering: Lowering,
    providers: Registry<Provider>,
    masks: Masks,
    settings: Settings,
  ) {
    this.#clock = clock
    this.#metrics = metrics
    this.#lowering = lowering
    this.failover = new Failover({
      credentials,
      masks,
      maxAttempts: settings.maxAttempts,
      pluginOf: provider => providers.pluginOf(provider),
      forms: generationForms,
    })
  }

  /** An attempt whose first semantic event has come; or the public error of the last failure, when all is spent. */
  open(
    candidates: readonly Candidate[],
    request: GenerationRequest,
    context: RunContext,
    surroundings: AnswerSurroundings,
  ): Promise<Attempt> {
    surroundings.answer.keep()
    const sorted = (inTurn: readonly (Credential | undefined)[], candidate: Candidate) =>
      this.#lowering.withStateFirst(inTurn, request, candidate, context.caller)
    return this.failover.first(
      candidates,
      context,
      (candidate, credential) => this.#try(candidate, credential, request, context, surroundings),
      sorted,
    )
  }

  async #try(
    candidate: Candidate,
    credential: Credential | undefined,
    request: GenerationRequest,
    context: RunContext,
    { cancellation, record, answer }: AnswerSurroundings,
  ): Promise<Attempt | ProviderFailure> {
    answer.restart()
    const { endpoint, provider } = candidate
    const lowered = this.#lowering.lower(request, candidate, credential, context.caller)
    const timeouts = { ...defaultTimeouts, ...provider.timeouts }
    const attempt = new Attempt({
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
    return await this.failover.outcome(candidate, context, attempt, async () => {
      const events = provider.generate({
        request: lowered.request,
        endpoint,
        credentialId: credential?.id,
        signal: attempt.signal,
        context,
        holds: bytes => answer.hold(bytes),
      })
      const count = (event: GenerationEvent): void => answer.count(event)
      if (lowered.raises.length === 0) attempt.begin(events, count)
      else
        attempt.begin(lowered.raises.reduce<AsyncIterable<Yielded>>((below, raise) => raise(below, attempt.signal), counted(events, count)))
      for (;;) {
        const event = attempt.take() ?? (await attempt.next())
        if (!event) throw cutShort(provider.id)
        if (event.type === 'warning') attempt.warnings.push({ param: event.param, message: event.message })
        else attempt.head.push(event)
        if (!isSemantic(event)) continue
        attempt.commit()
        return attempt
      }
    })
  }
}

/** Some raises hold events back: what they get is counted before they do. */
async function* counted(events: AsyncIterable<Yielded>, count: (event: GenerationEvent) => void): AsyncGenerator<Yielded> {
  for await (const yielded of events) {
    if ('type' in yielded) count(yielded)
    else for (const event of yielded) count(event)
    yield yielded
  }
}
