import type { CircuitView } from './circuits.ts'

/** The state of a provider, for operators. Without secrets. */
export interface ProviderState {
  /** The slug in `provider/model`. */
  readonly id: string
  /** How long each of its keys stays set aside, in milliseconds; 0 if it is in use. */
  readonly credentials: readonly {
    /** Never the secret itself. */
    readonly id: string
    /** 0: in use. */
    readonly restsForMs: number
  }[]
  /** Its endpoints that failed recently. */
  readonly circuits: readonly Omit<CircuitView, 'provider'>[]
  /** Only for a provider with `maxConcurrent`. */
  readonly queue?: {
    /** Requests under way. */
    readonly running: number
    /** Requests that wait. */
    readonly waiting: number
    /** The most requests under way at once. */
    readonly maxConcurrent: number
    /** The most requests that wait in one process. */
    readonly maxQueued: number
  }
}
