import type { CircuitView } from './circuits.ts'

/** The state of a provider, for operators. Without secrets. */
export interface ProviderState {
  readonly id: string
  /** How long each of its keys stays set aside, in milliseconds; 0 if it is in use. */
  readonly credentials: readonly { readonly id: string; readonly restsForMs: number }[]
  /** Its endpoints that failed recently. */
  readonly circuits: readonly Omit<CircuitView, 'provider'>[]
  /** Only for a provider with `maxConcurrent`. */
  readonly queue?: {
    readonly running: number
    readonly waiting: number
    readonly maxConcurrent: number
    readonly maxQueued: number
  }
}
