import { ProviderFailure } from '../../contracts/provider.ts'
import type { RunContext } from '../../contracts/run-context.ts'
import { GatewayError, PluginError } from '../../foundation/errors.ts'
import { describePluginError } from '../../foundation/logger.ts'
import { own, wording } from '../../foundation/wording.ts'
import type { Masks } from '../../foundation/masks.ts'
import { ProviderMistake } from '../../provider-kit/provider-mistake.ts'
import type { Contender } from './contender.ts'
import { isKnownKind } from './failure-policy.ts'
import { publicError } from './public-error.ts'
import { asProtocol, unknownKind } from './unknown-kind.ts'

interface FailuresParts {
  readonly operation: 'generation' | 'decision'
  /** Names the plugin behind a provider, for the log. */
  readonly plugins: { pluginOf(provider: string): string | undefined }
  readonly masks: Masks
}

/** Explains the error of an attempt: its failure, the plugin to blame, and the caller's error. */
export class Failures {
  readonly #parts: FailuresParts

  constructor(parts: FailuresParts) {
    this.#parts = parts
  }

  publicError(failure: ProviderFailure, { provider }: Contender): GatewayError {
    return publicError(failure, provider.id, this.#parts.masks, this.#parts.operation)
  }

  /** The failure that an attempt's error means. Rethrows the reason when the run was aborted, and errors that are meant for the caller. */
  failureOf(error: unknown, { provider }: Contender, context: RunContext): ProviderFailure {
    if (context.signal.aborted) throw context.signal.reason
    if (ProviderFailure.is(error)) {
      if (error.cause instanceof ProviderMistake) this.#blame(error.cause, provider.id, context)
      return isKnownKind(error.kind) ? error : this.#unknownKind(error, provider.id, context)
    }
    if (error instanceof GatewayError) throw error
    const cause = this.#blame(error, provider.id, context)
    const message = wording`The provider "${own(provider.id)}" failed inside the gateway.`
    const progress = error instanceof ProviderMistake && error.isUnsent ? 'none' : undefined
    return new ProviderFailure({ kind: 'protocol', progress, message, cause })
  }

  /** Logs an error with the plugin at fault. Returns a mistake of the plugin as an error that names it. */
  #blame(error: unknown, provider: string, context: RunContext): unknown {
    const plugin = this.#parts.plugins.pluginOf(provider)
    const named = error instanceof ProviderMistake ? new PluginError(plugin ?? provider, error.message, { cause: error.cause }) : error
    context.log.error('a provider plugin failed', {
      request: context.id,
      provider,
      plugin,
      ...describePluginError(named, true, context.caller.policy.logging.value),
    })
    return named
  }

  #unknownKind(failure: ProviderFailure, provider: string, context: RunContext): ProviderFailure {
    const plugin = this.#parts.plugins.pluginOf(provider)
    context.log.error('a provider plugin failed', {
      request: context.id,
      provider,
      plugin,
      reason: unknownKind(plugin ?? provider, failure),
    })
    return asProtocol(failure)
  }

  /** For the log: who broke the protocol, the vendor or the plugin that reads its answer, and how. */
  bugIn({ kind, cause, unquotedMessage }: ProviderFailure, { provider }: Contender, { caller }: RunContext): object {
    if (kind !== 'protocol') return {}
    const plugin = this.#parts.plugins.pluginOf(provider.id)
    const isBug = cause instanceof Error && !ProviderFailure.is(cause) && !isToldOrBroken(cause)
    if (isBug) return { plugin, ...describePluginError(cause, true, caller.policy.logging.value) }
    return { plugin, ...(unquotedMessage !== undefined && { reason: unquotedMessage }) }
  }
}

/** A mistake is in the log already, and broken JSON is the vendor's. */
function isToldOrBroken(cause: Error): boolean {
  return cause instanceof ProviderMistake || cause instanceof SyntaxError
}
