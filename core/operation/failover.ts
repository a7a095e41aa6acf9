import type { Endpoint } from '../contracts/catalog.ts'
import { ProviderFailure, type Credential, type Provider } from '../contracts/provider.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../errors.ts'
import { publicError, type PublicForms } from '../generation/failure.ts'
import { describeError } from '../logger.ts'
import type { Masks } from '../masks.ts'
import type { Credentials } from '../upstream/credentials.ts'

/** Somebody who may be asked. */
export interface Contender {
  readonly endpoint: Endpoint
  readonly provider: Pick<Provider, 'id' | 'credentials'>
}

export interface FailoverParts {
  readonly credentials: Credentials
  readonly masks: Masks
  readonly maxAttempts: number
  /** Whose bug it is. */
  readonly pluginOf: (provider: string) => string | undefined
  readonly forms: PublicForms
}

type Credentialed = readonly (Credential | undefined)[]

/** Tries one contender after the other, with each of its credentials, until one answers. */
export class Failover {
  readonly #parts: FailoverParts

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
      const tries = triesOf(sorted(credentials.inTurn(provider), contender))
      for (const credential of tries) {
        if (left-- <= 0) break
        const result = await attempt(contender, credential)
        if (!ProviderFailure.is(result)) return result
        last = { failure: result, contender }
        credentials.failed(provider.id, credential, result)
        const { kind, status } = result
        context.log.warn('an attempt failed', { request: context.id, provider: provider.id, kind, status })
        if (result.retry === 'never') throw this.publicError(result, contender)
        const another = result.retry === 'same' && (kind === 'network' || tries[0] !== tries[1])
        if (!another) break
      }
    }
    throw this.publicError(last!.failure, last!.contender)
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
      ...describeError(error),
    })
    return new ProviderFailure({ kind: 'protocol', message: `The provider "${provider.id}" failed inside the gateway.`, cause: error })
  }
}

/** A lone credential, or none, gets a second try: only a broken connection leads to it, often a keep-alive socket that the vendor had closed. */
function triesOf(inTurn: Credentialed): Credentialed {
  return inTurn.length === 1 ? [inTurn[0], inTurn[0]] : inTurn
}
