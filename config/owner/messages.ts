import type {
  Beat,
  Claim,
  Claimed,
  CoordinatedWindow,
  CountDelta,
  CountSum,
  Gauges,
  PlaceChange,
  Unclaimed,
  WindowChange,
} from '../../core/contracts/coordination.ts'
import type { TokenWindow } from '../../core/contracts/rate-limiter.ts'
import type { SharedChange } from '../../core/contracts/shared-state.ts'

/** A process and its owner may be of two releases for a moment, while workers are replaced. */
export const wireVersion = 1

/** The functions of `Coordination`, with their arguments and what they return. */
export interface OwnerCalls {
  readonly claim: { readonly takes: readonly [Claim]; readonly gives: Claimed | Unclaimed }
  readonly change: { readonly takes: readonly [readonly WindowChange[], readonly PlaceChange[]]; readonly gives: null }
  readonly states: { readonly takes: readonly [string, readonly TokenWindow[]]; readonly gives: readonly CoordinatedWindow[] }
  readonly beat: { readonly takes: readonly [Gauges]; readonly gives: Beat }
  readonly gauges: { readonly takes: readonly []; readonly gives: readonly Gauges[] }
  readonly exchange: {
    readonly takes: readonly [readonly CountDelta[], string | null]
    readonly gives: { readonly sums: readonly CountSum[]; readonly since: string }
  }
}
export type OwnerCall = keyof OwnerCalls

/** To the owner. Begins with `hello`. */
export type ToOwner =
  | readonly ['hello', version: number, member: string]
  | { readonly [C in OwnerCall]: readonly ['call', id: number, call: C, ...OwnerCalls[C]['takes']] }[OwnerCall]
  | readonly ['subscribe']
  | readonly ['publish', SharedChange]

/** From the owner. */
export type FromOwner =
  | readonly ['answer', id: number, result: unknown]
  | readonly ['failed', id: number, message: string]
  | readonly ['change', SharedChange]
  /** Before the connection is closed. */
  | readonly ['refused', message: string]
  /** Answers `hello`. Each owner process has another name. */
  | readonly ['welcome', owner: string]
