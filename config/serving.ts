import { PluginError } from '../core/index.ts'
import { describeError } from '../core/kit.ts'
import { describePluginError } from '../core/foundation/logger.ts'
import type { Gateway } from '../core/gateway.ts'
import { drain } from './drain.ts'
import { handleFaults } from './faults.ts'
import type { AdminListener } from './listen-admin.ts'
import type { Listener } from './listen.ts'

/** A gateway that listens. */
export interface Serving {
  readonly gateway: Gateway
  readonly listener: Listener
  readonly admin: AdminListener | undefined
  readonly drainTimeoutMs: number
}

/** Lets open requests finish, stops the gateway, and ends the process. */
export function stopServing({ gateway, listener, admin, drainTimeoutMs }: Serving, why: string, exitCode: number): void {
  gateway.log.info('stopping', { why, runs: gateway.liveRuns })
  admin?.close()
  drain(gateway, listener, drainTimeoutMs).then(
    () => process.exit(exitCode),
    (error: unknown) => {
      logFailedStop(gateway, error)
      process.exit(1)
    },
  )
}

export function logFailedStop({ log }: Gateway, failure: unknown): void {
  for (const error of failure instanceof AggregateError ? failure.errors : [failure]) {
    if (!(error instanceof PluginError)) {
      log.error('stopping failed', describeError(error))
      continue
    }
    // The error of a plugin's hook is the cause of a `PluginError`.
    const fields = { plugin: error.plugin, ...describePluginError(error.cause ?? error, true) }
    log.error('a plugin failed to stop, so its unwritten data is lost; the rest of the gateway has stopped', fields)
  }
}

/** Logs errors that nobody caught. After one the state may be inconsistent, so `stop` should leave the rest to a new process. */
export function watchGateway({ log }: Pick<Gateway, 'log'>, stop: (why: string) => void): void {
  handleFaults(({ error, isRejection, plugin, place }) => {
    const fields = plugin === undefined ? describeError(error) : { plugin, place, ...describePluginError(error, true) }
    if (isRejection) return log.error('unhandled promise rejection', fields)
    log.error('uncaught error', fields)
    stop('an uncaught error')
  })
}
