import type { Logger } from '../../core/foundation/logger.ts'
import type { PluginUse } from '../../core/index.ts'
import type { LoadedConfig } from '../load.ts'
import { OwnerProcess } from '../owner/owner-process.ts'
import { workersOf } from './count.ts'

/** A process in which the workers of one machine count together. */
export interface CoordinatorProcess {
  /** The socket for its clients. */
  readonly path: string
  /** Call when no worker is left. */
  stop(): Promise<void>
}

/**
 * Starts the process in which workers count together. Called once, before a worker opens its gateway. Throws a `ConfigError`. Undefined where
 * no socket is private to a user.
 */
export async function startCoordinator(log: Logger): Promise<CoordinatorProcess | undefined> {
  if (process.platform !== 'win32') return await OwnerProcess.start(log)
  log.warn('on Windows, workers count together only with Valkey, so each has limits of its own')
  return undefined
}

/** The plugins that a worker gets besides those of the config, to reach that process. `isFirst`: it says for all what it finds out. */
export async function coordinatorPlugins(path: string, { plugins, server }: LoadedConfig, isFirst: boolean): Promise<readonly PluginUse[]> {
  const { ownerPlugins } = await import('../owner/plugin.ts')
  return ownerPlugins(path, workersOf(server.workers), plugins, isFirst)
}
