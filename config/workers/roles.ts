import type { Logger } from '../../core/foundation/logger.ts'
import type { PluginUse } from '../../core/index.ts'

/** A process in which the workers of one machine count together. */
export interface CoordinatorProcess {
  /** The socket for its clients. */
  readonly path: string
  /** Call when no worker is left. */
  stop(): Promise<void>
}

/** Starts the process in which workers count together. Called once, before the first worker opens its gateway. Undefined if there is none. */
export async function startCoordinator(_log: Logger): Promise<CoordinatorProcess | undefined> {
  return undefined
}

/** The plugins that a worker gets besides those of the config, to reach that process. */
export async function coordinatorPlugins(_path: string): Promise<readonly PluginUse[]> {
  return []
}
