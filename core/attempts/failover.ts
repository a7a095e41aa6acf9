import { LRUCache } from 'lru-cache'
import type { Reservation } from '../billing/reservation.ts'
import type { TokenUsage } from '../contracts/events.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { ProviderFailure, type Credential } from '../contracts/provider.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Clock } from '../foundation/clock.ts'
import { GatewayError } from '../foundation/errors.ts'
import { describePluginError } from '../foundation/logger.ts'
import { Masks } from '../foundation/masks.ts'
import type { Dependencies } from '../framework/container.ts'
import { Settings } from '../framework/settings.ts'
import { Attempt, type AttemptParts, type Contender } from './attempt.ts'
import { Backoff, retryDelayMs } from './backoff.ts'
import { Credentials } from './credentials.ts'
import { isTransient, policyOf } from './failure-policy.ts'
import { publicError } from './public-error.ts'

export const failoverDependencies = {
  credentials: Credentials,
  masks: Masks.token,
  settings: Settings,
  backoff: Backoff,
  clock: Clock,
  metrics: MetricStore,
}

export interface FailoverParts extends Dependencies<typeof failoverDependencies> {
  readonly operation: 'generation' | 'decision'
  /** Names the plugin behind a provider, for the log. */
  readonly plugins: { pluginOf(provider: string): string | undefined }
}

/** What is particular to one attempt. */
export interface AttemptWork<E extends object, C extends Contender, R> {
  readonly reservation: Reservation | undefined
  /** Asks the provider. Throws `ProviderFailure`. */
  run(attempt: Attempt<E, C>): Promise<R>
  /** The usage that a failed attempt is known to have had. */
  usageOf?(attempt: Attempt<E, C>): TokenUsage | undefined
}

type Credentialed = readonly (Credential | undefined)[]

/** After retries in vain, an endpoint is asked only once per request for this long. */
const noRetriesForMs = 30_000

/** Tries contenders in order, each with its credentials, until one answers. */
export class Failover {
  readonly #parts: FailoverParts
  /** When retries of an endpoint were last in vain. Clients retry too: without this, an outage would multiply their requests by ours. */
  readonly #inVain = new LRUCache<string, number>({ max: 10_000 })

  constructor(parts: FailoverParts) {
    this.#parts = parts
  }

  /** The result of the first attempt that succeeds. Throws the public error of the last failure when none is left. */
  async first<C extends Contender, R extends object>(
    contenders: readonly C[],
    context: RunContext,
    attempt: (contender: C, credential: Credential | undefined) => Promise<R | ProviderFailure>,
    sorted: (inTurn: Credentialed, contender: C) => Credentialed = inTurn => inTurn,
  ): Promise<R> {
    const { credentials, settings } = this.#parts
    let last: { readonly failure: ProviderFailure; readonly contender: C } | undefined
    let left = settings.maxAttempts
    for (const contender of contenders) {
      const { provider } = contender
      const tries = sorted(credentials.inTurn(provider), contender)
      const isLast = contender === contenders.at(-1)
      let repeats = 0
      for (let turn = 0; left > 0;) {
        left--
        const credential = tries[turn % tries.length]
        const result = await attempt(contender, credential)
        if (!ProviderFailure.is(result)) {
          if (this.#inVain.size > 0) this.#inVain.delete(nameOf(contender))
          return result
        }
        last = { failure: result, contender }
        credentials.failed(provider.id, credential, result)
        const { kind, status } = result
        context.log.warn('an attempt failed', { request: context.id, provider: provider.id, kind, status })
        const { retry } = policyOf(result)
        if (retry === 'never') throw this.publicError(result, contender)
        if (retry === 'credential' && ++turn < tries.length) continue
        const waitMs = left > 0 ? this.#waitMs(result, contender, tries.length === 1, isLast, repeats) : undefined
        if (waitMs === undefined) break
        if (waitMs > 0) await this.#parts.backoff.sleep(waitMs, context.signal)
        repeats++
      }
      if (repeats > 0) this.#inVain.set(nameOf(contender), this.#parts.clock.now())
    }
    throw this.publicError(last!.failure, last!.contender)
  }

  /** How long to wait before asking the same contender again; undefined: do not ask it again. */
  #waitMs(failure: ProviderFailure, contender: Contender, isAlone: boolean, isLast: boolean, repeats: number): number | undefined {
    const { backoff, clock, settings } = this.#parts
    const inVainAt = this.#inVain.get(nameOf(contender))
    if (inVainAt !== undefined && clock.now() - inVainAt < noRetriesForMs) return undefined
    if (policyOf(failure).repeatAtOnce && isAlone && repeats === 0) return 0
    if (!isLast || !isTransient(failure) || repeats >= settings.retries) return undefined
    return retryDelayMs(repeats, failure.retryAfterMs, backoff.random())
  }

  /** Runs one attempt. Returns its failure, after recording it and charging it to the reservation; throws when the run itself is over. */
  async attempt<E extends object, C extends Contender, R extends object>(
    parts: AttemptParts<C>,
    context: RunContext,
    work: AttemptWork<E, C, R>,
  ): Promise<R | ProviderFailure> {
    const { candidate } = parts
    const attempt = new Attempt<E, C>(parts, this.#parts)
    let failure: ProviderFailure | undefined
    try {
      return await work.run(attempt)
    } catch (error) {
      try {
        failure = this.failureOf(error, candidate, context)
        attempt.end(failure)
        return failure
      } finally {
        attempt.end('left')
        work.reservation?.attemptFailed(
          candidate.endpoint,
          work.usageOf?.(attempt),
          failure !== undefined && policyOf(failure).mayBeBilled === true,
        )
      }
    }
  }

  publicError(failure: ProviderFailure, { provider }: Contender): GatewayError {
    return publicError(failure, provider.id, this.#parts.masks, this.#parts.operation)
  }

  /** The failure that an attempt's error means. Rethrows the reason when the run was aborted, and errors that are meant for the caller. */
  failureOf(error: unknown, { provider }: Contender, context: RunContext): ProviderFailure {
    if (context.signal.aborted) throw context.signal.reason
    if (ProviderFailure.is(error)) return error
    if (error instanceof GatewayError) throw error
    context.log.error('a provider plugin failed', {
      request: context.id,
      provider: provider.id,
      plugin: this.#parts.plugins.pluginOf(provider.id),
      ...describePluginError(error, true),
    })
    return new ProviderFailure({ kind: 'protocol', message: `The provider "${provider.id}" failed inside the gateway.`, cause: error })
  }
}

function nameOf({ endpoint }: Contender): string {
  return `${endpoint.provider}/${endpoint.model}`
}
