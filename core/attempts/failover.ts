import { LRUCache } from 'lru-cache'
import type { Clock } from '../foundation/clock.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import { ProviderFailure, type Credential, type Provider } from '../contracts/provider.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import { publicError, type PublicForms } from './public-error.ts'
import { describePluginError } from '../foundation/logger.ts'
import type { Masks } from '../foundation/masks.ts'
import type { Credentials } from './credentials.ts'
import { retryDelayMs, type Backoff } from './backoff.ts'

/** Somebody who may be asked. */
export interface Contender {
  readonly endpoint: Endpoint
  readonly provider: Pick<Provider, 'id' | 'credentials'>
}

export interface FailoverParts {
  readonly credentials: Credentials
  readonly masks: Masks
  readonly maxAttempts: number
  /** How often the last contender is asked again after a failure that may pass. */
  readonly retries: number
  readonly backoff: Backoff
  readonly clock: Clock
  /** Whose bug it is. */
  readonly pluginOf: (provider: string) => string | undefined
  readonly forms: PublicForms
}

type Credentialed = readonly (Credential | undefined)[]

/** How long an endpoint is asked only once, after it was asked again in vain. */
const noRetriesForMs = 30_000

/** Tries one contender after the other, with each of its credentials, until one answers. */
export class Failover {
  readonly #parts: FailoverParts
  /**
   * Endpoints that were asked again in vain, and when that was. Clients retry too: without this, an outage would multiply
   * their requests by ours.
   */
  readonly #inVain = new LRUCache<string, number>({ max: 10_000 })

  constructor(parts: FailoverParts) {
    this.#parts = parts
  }

  /** What the first attempt gives that does not fail; or the public error of the last failure, when all is spent. */
  async first<C extends Contender, R extends object>(
    contenders: readonly C[],
    context: RunContext,
    attempt: (contender: C, credential: Credential | undefined) => Promise<R | ProviderFailure>,
    sorted: (inTurn: Credentialed, contender: C) => Credentialed = inTurn => inTurn,
  ): Promise<R> {
    const { credentials, maxAttempts } = this.#parts
    let last: { readonly failure: ProviderFailure; readonly contender: C } | undefined
    let left = maxAttempts
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
        if (result.retry === 'never') throw this.publicError(result, contender)
        if (result.retry === 'same' && ++turn < tries.length) continue
        const waitMs = left > 0 ? this.#waitMs(result, contender, tries.length === 1, isLast, repeats) : undefined
        if (waitMs === undefined) break
        if (waitMs > 0) await this.#parts.backoff.sleep(waitMs, context.signal)
        repeats++
      }
      if (repeats > 0) this.#inVain.set(nameOf(contender), this.#parts.clock.now())
    }
    throw this.publicError(last!.failure, last!.contender)
  }

  /** How long to wait before the same contender is asked again; undefined when it is not. */
  #waitMs(failure: ProviderFailure, contender: Contender, isAlone: boolean, isLast: boolean, repeats: number): number | undefined {
    const { backoff, clock, retries } = this.#parts
    const inVainAt = this.#inVain.get(nameOf(contender))
    if (inVainAt !== undefined && clock.now() - inVainAt < noRetriesForMs) return undefined
    // Often a keep-alive socket that the vendor had closed. With several credentials the next one has found that out.
    if (failure.kind === 'network' && isAlone && repeats === 0) return 0
    if (!isLast || !failure.transient || repeats >= retries) return undefined
    return retryDelayMs(repeats, failure.retryAfterMs, backoff.random())
  }

  /** What came of an attempt: a throw becomes a failure, and closes the attempt's books. */
  async outcome<R extends object>(
    contender: Contender,
    context: RunContext,
    attempt: { end(outcome: 'left' | ProviderFailure): void },
    work: () => Promise<R>,
  ): Promise<R | ProviderFailure> {
    try {
      return await work()
    } catch (error) {
      try {
        const failure = this.failureOf(error, contender, context)
        attempt.end(failure)
        return failure
      } finally {
        attempt.end('left')
      }
    }
  }

  publicError(failure: ProviderFailure, { provider }: Contender): GatewayError {
    return publicError(failure, provider.id, this.#parts.masks, this.#parts.forms)
  }

  /** An attempt's error as a failure; the run's own end is thrown as it is. */
  failureOf(error: unknown, { provider }: Contender, context: RunContext): ProviderFailure {
    if (context.signal.aborted) throw context.signal.reason
    if (ProviderFailure.is(error)) return error
    if (error instanceof GatewayError) throw error
    context.log.error('a provider plugin failed', {
      request: context.id,
      provider: provider.id,
      plugin: this.#parts.pluginOf(provider.id),
      ...describePluginError(error, true),
    })
    return new ProviderFailure({ kind: 'protocol', message: `The provider "${provider.id}" failed inside the gateway.`, cause: error })
  }
}

function nameOf({ endpoint }: Contender): string {
  return `${endpoint.provider}/${endpoint.model}`
}
