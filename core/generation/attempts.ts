import { Clock } from '../clock.ts'
import { wire } from '../container.ts'
import { isSemantic } from '../contracts/events.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { ProviderFailure, type Credential, type Provider, type Timeouts } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../errors.ts'
import { Providers } from '../extension-points.ts'
import { describeError } from '../logger.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { Masks } from '../masks.ts'
import type { Registry } from '../registry.ts'
import type { Candidate } from '../routing/plan.ts'
import { Settings } from '../settings.ts'
import { Credentials } from '../upstream/credentials.ts'
import { Attempt } from './attempt.ts'
import { publicError } from './failure.ts'
import { Lowering } from './lowering/lowering.ts'

const defaultTimeouts: Timeouts = { connectMs: 10_000, firstEventMs: 120_000, betweenEventsMs: 120_000, totalMs: 600_000 }

/** Tries candidates in order until one answers. */
export class Attempts {
  readonly #clock: Clock
  readonly #metrics: MetricStore
  readonly #credentials: Credentials
  readonly #lowering: Lowering
  readonly #providers: Registry<Provider>
  readonly #masks: Masks
  readonly #settings: Settings

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
    this.#credentials = credentials
    this.#lowering = lowering
    this.#providers = providers
    this.#masks = masks
    this.#settings = settings
  }

  /** An attempt whose first semantic event has come; or the public error of the last failure, when all is spent. */
  async open(candidates: readonly Candidate[], request: GenerationRequest, context: RunContext, exchange: HttpExchange): Promise<Attempt> {
    let last: { readonly failure: ProviderFailure; readonly provider: string } | undefined
    let left = this.#settings.maxAttempts
    for (const candidate of candidates) {
      const tries = this.#tries(candidate, request, context)
      for (const credential of tries) {
        if (left-- <= 0) break
        const result = await this.#try(candidate, credential, request, context, exchange)
        if (result instanceof Attempt) return result
        last = { failure: result, provider: candidate.provider.id }
        this.#credentials.failed(candidate.provider.id, credential, result)
        context.log.warn('an attempt failed', {
          request: context.id,
          provider: candidate.provider.id,
          kind: result.kind,
          status: result.status,
        })
        if (result.retry === 'never') throw this.publicError(result, candidate)
        const another = result.retry === 'same' && (result.kind === 'network' || tries[0] !== tries[1])
        if (!another) break
      }
    }
    throw publicError(last!.failure, last!.provider, this.#masks)
  }

  /** What came of an attempt that failed after it had begun to answer. */
  publicError(failure: ProviderFailure, { provider }: Candidate): GatewayError {
    return publicError(failure, provider.id, this.#masks)
  }

  /** An attempt's error as a failure; the run's own end is thrown as it is. */
  failureOf(error: unknown, { provider }: Candidate, context: RunContext): ProviderFailure {
    if (context.signal.aborted) throw context.signal.reason
    if (ProviderFailure.is(error)) return error
    if (error instanceof GatewayError) throw error
    context.log.error('a provider plugin failed', {
      request: context.id,
      provider: provider.id,
      plugin: this.#providers.pluginOf(provider.id),
      ...describeError(error),
    })
    return new ProviderFailure({ kind: 'protocol', message: `The provider "${provider.id}" failed inside the gateway.`, cause: error })
  }

  /** A lone credential, or none, gets a second try: only a broken connection leads to it, often a keep-alive socket that the vendor had closed. */
  #tries(candidate: Candidate, request: GenerationRequest, { caller }: RunContext): readonly (Credential | undefined)[] {
    const inTurn = this.#lowering.withStateFirst(this.#credentials.inTurn(candidate.provider), request, candidate, caller)
    return inTurn.length === 1 ? [inTurn[0], inTurn[0]] : inTurn
  }

  async #try(
    candidate: Candidate,
    credential: Credential | undefined,
    request: GenerationRequest,
    context: RunContext,
    exchange: HttpExchange,
  ): Promise<Attempt | ProviderFailure> {
    const { endpoint, provider } = candidate
    const lowered = this.#lowering.lower(request, candidate, credential, context.caller)
    const attempt = new Attempt({
      candidate,
      credential,
      warnings: lowered.warnings,
      streamed: request.stream === true,
      timeouts: { ...defaultTimeouts, ...provider.timeouts },
      run: exchange.cancellation,
      clock: this.#clock,
      metrics: this.#metrics,
      record: exchange.record,
    })
    try {
      const events = provider.generate({
        request: lowered.request,
        endpoint,
        credentialId: credential?.id,
        signal: attempt.signal,
        context,
      })
      attempt.begin(lowered.raises.reduce((below, raise) => raise(below, attempt.signal), events))
      for (;;) {
        const event = attempt.take() ?? (await attempt.next())
        if (!event)
          throw new ProviderFailure({ kind: 'protocol', message: `The provider "${provider.id}" ended its reply before it was complete.` })
        if (event.type === 'warning') attempt.warnings.push({ param: event.param, message: event.message })
        else attempt.head.push(event)
        if (!isSemantic(event)) continue
        attempt.commit()
        return attempt
      }
    } catch (error) {
      try {
        const failure = this.failureOf(error, candidate, context)
        attempt.end(failure)
        return failure
      } finally {
        attempt.end('left')
      }
    }
  }
}
