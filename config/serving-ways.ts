import type { Gateway } from '../core/gateway.ts'
import { openGateway } from './open-gateway.ts'
import type { LoadedConfig } from './load.ts'

/** Choices of a process that serves. */
export interface ServingWays {
  open(config: LoadedConfig): Promise<Gateway>
  /** Moves what a gateway keeps in memory to the next one. Absent: a gateway whose keys are in memory is not replaced. */
  carry?(before: Gateway, after: Gateway): Promise<void>
  /** A new config was refused. */
  refused?(): void
  /** How long the last requests of a gateway that was replaced may take. Absent: as long as those of one that stops. */
  readonly retireMs?: number
  /** Go on after an error that nobody caught. Absent: the process ends. */
  readonly outlivesFaults?: boolean
}

export const usualWays: ServingWays = { open: config => openGateway(config) }
