import { PluginError } from '../core/index.ts'
import { describeError } from '../core/kit.ts'
import { describePluginError } from '../core/foundation/logger.ts'
import type { Gateway } from '../core/gateway.ts'
import { Announcement } from './announcement.ts'
import { drain } from './drain.ts'
import { handleFaults } from './faults.ts'
import type { AdminListener } from './listen-admin.ts'
import type { Listener } from './listen.ts'
import type { ServerOptions } from './schema.ts'

/** A gateway that listens. */
export interface Serving {
  readonly gateway: Gateway
  readonly listener: Listener
  readonly admin: AdminListener | undefined
  readonly server: Pick<ServerOptions, 'drainAnnounceMs' | 'drainTimeoutMs' | 'tls'>
}

interface StopOptions {
  readonly why: string
  readonly exitCode: number
  /** How long connections are still taken. Undefined if another process takes them: then health checks stay as they are. */
  readonly announceMs: number | undefined
  /** Also waits for these. */
  readonly alongside?: Iterable<Promise<void>>
}

/** The end of a process: open requests finish, and the gateway stops. */
export class Stop {
  readonly #announcement: Announcement | undefined

  constructor({ gateway, listener, admin, server }: Serving, { why, exitCode, announceMs, alongside = [] }: StopOptions) {
    gateway.log.info('stopping', { why, runs: gateway.liveRuns, ...(announceMs !== undefined && { announceMs }) })
    if (announceMs === undefined) admin?.handOver()
    else this.#announcement = new Announcement(gateway, listener, announceMs)
    Promise.resolve(this.#announcement?.over)
      .then(() => Promise.all([drain(gateway, listener, server.drainTimeoutMs, admin), ...alongside]))
      .then(
        () => process.exit(exitCode),
        (error: unknown) => {
          logFailedStop(gateway, error)
          process.exit(1)
        },
      )
  }

  /** Do not wait: the announcement ends first, and then the process. */
  hurry(): void {
    if (!this.#announcement?.hurry()) process.exit(1)
  }
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
