import pTimeout from 'p-timeout'
import type { CallWrapper } from '../contracts/call-wrapper.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { PluginError } from '../foundation/errors.ts'
import { describePluginError } from '../foundation/logger.ts'

export interface LoadedWrapper {
  readonly wrapper: CallWrapper
  /** The plugin that added it. */
  readonly plugin: string
}

/** Waits for a wrapper no longer than it may take. Rejects at once when the call is aborted. */
export function inTime<T>(work: Promise<T>, { wrapper, plugin }: LoadedWrapper, { signal }: RunContext): Promise<T> {
  const { name, timeoutMs } = wrapper
  const late = (): never => {
    throw new PluginError(plugin, `took longer than ${timeoutMs} ms in the call wrapper "${name}"`)
  }
  return pTimeout(work, { milliseconds: timeoutMs, fallback: late, signal })
}

/** Logs a wrapper's failure, without content. */
export function wrapperFailed({ wrapper, plugin }: LoadedWrapper, { id, log, caller }: RunContext, error: unknown): void {
  const isLogged = caller.policy.logging.value
  log.error('a call wrapper failed', { wrapper: wrapper.name, plugin, request: id, ...describePluginError(error, !isLogged, isLogged) })
}
