import type { Cancellation } from '../cancellation.ts'
import { Clock } from '../clock.ts'
import { wire } from '../container.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import type { ProviderFailure, Credential, Provider, Timeouts } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Providers } from '../extension-points.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { Masks } from '../masks.ts'
import { Failover } from '../operation/failover.ts'
import type { RecordDraft } from '../records/record.ts'
import type { Registry } from '../registry.ts'
import type { Candidate } from '../routing/plan.ts'
import { Settings } from '../settings.ts'
import { Credentials } from '../upstream/credentials.ts'
import { cutShort } from '../upstream/cut-short.ts'
import { Attempt } from './attempt.ts'
import { generationForms } from './failure.ts'
import type { Raised } from './lowering/draft.ts'
import { Lowering } from './lowering/lowering.ts'
import { isAnswering, type RaisedEvent } from './raised-event.ts'

const defaultTimeouts: Timeouts = { connectMs: 10_000, firstEventMs: 120_000, betweenEventsMs: 120_000, totalMs: 600_000 }

/** What calls attempts off, and where they are recorded. */
export type Surroundings = Pick<HttpExchange, 'cancellation' | 'record'>

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
    { cancellation, record }: Surroundings,
  ): Promise<Attempt<RaisedEvent>> {
    const sorted = (inTurn: readonly (Credential | undefined)[], candidate: Candidate) =>
      this.#lowering.withStateFirst(inTurn, request, candidate, context.caller)
    return this.failover.first(
      candidates,
      context,
      (candidate, credential) => this.#try(candidate, credential, request, context, cancellation, record),
      sorted,
    )
  }

  async #try(
    candidate: Candidate,
    credential: Credential | undefined,
    request: GenerationRequest,
    context: RunContext,
    run: Cancellation,
    record: RecordDraft,
  ): Promise<Attempt<RaisedEvent> | ProviderFailure> {
    const { endpoint, provider } = candidate
    const lowered = this.#lowering.lower(request, candidate, credential, context.caller)
    const timeouts = { ...defaultTimeouts, ...provider.timeouts }
    const attempt = new Attempt<RaisedEvent>({
      candidate,
      credential,
      warnings: lowered.warnings,
      totalMs: timeouts.totalMs,
      streamed: request.stream === true ? timeouts : undefined,
      run,
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
      })
      attempt.begin(lowered.raises.reduce<AsyncIterable<Raised>>((below, raise) => raise(below, attempt.signal), events))
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
  }
}
