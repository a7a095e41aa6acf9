import { contract } from '../foundation/token.ts'
import type { TokenWindow } from './rate-limiter.ts'

/** One of the places of a bucket, which only so many may have at once: requests of a key in progress, requests at a provider, connections. */
export interface PlaceClaim {
  /** Such as `key:<id>`. Equal names in one group share a limit. */
  readonly bucket: string
  /** How many places the bucket has. */
  readonly limit: number
  /** The name of the place, which no other has. The process makes it up, so that it can give back a place whose answer never came. */
  readonly place: string
}

/** An amount to take from a window. */
export interface WindowClaim extends TokenWindow {
  /** Tokens or requests. */
  readonly amount: number
  /** How the window stood when it was last saved, or as the process knows it. Counts only where the window is not known. */
  readonly saved?:
    | {
        /** Tokens or requests that were taken. */
        readonly used: number
        /** Milliseconds until it ended. */
        readonly endsInMs: number
      }
    | undefined
}

/** All that a request takes at one time. */
export interface Claim {
  /**
   * Whose buckets these are: an organization, a provider. A bucket always comes with the same group. In a cluster, a group is on one node, so
   * that a claim is one atomic step.
   */
  readonly group: string
  /** One of each bucket. */
  readonly places: readonly PlaceClaim[]
  /** Amounts to take from windows of rate limits. */
  readonly windows: readonly WindowClaim[]
}

/** How a window stands. Durations, since the clocks of processes differ. */
export interface CoordinatedWindow {
  /** Tokens or requests that are taken. */
  readonly used: number
  /** How long until all of it is there again. Undefined if the window has not begun. */
  readonly endsInMs: number | undefined
  /** Names this run of the window, for `WindowChange`. Undefined if it has not begun. */
  readonly run: string | undefined
}

/** How the windows stand after a claim that took all. */
export interface Claimed {
  /** Tells it from a claim that was refused. */
  readonly fullWindows?: undefined
  /** With the claim, in the order of the claim. */
  readonly windows: readonly CoordinatedWindow[]
}

/** Why a claim took nothing. */
export interface Unclaimed {
  /** A bucket without a free place. It comes before windows. */
  readonly fullPlace?: string
  /** Windows without room. */
  readonly fullWindows: readonly string[]
  /** Without the claim, in the order of the claim. */
  readonly windows: readonly CoordinatedWindow[]
}

/** A change to a window after a claim. Changes are collected, and sent a few times a second. */
export interface WindowChange {
  /** The group of the claim. */
  readonly group: string
  /** The window, by the name of its budget. */
  readonly bucket: string
  /** The length of the window in milliseconds. */
  readonly windowMs: number
  /** Nothing changes if this run of the window is over. Undefined: changes the run of now, or begins one that ends in `endsInMs`. */
  readonly run: string | undefined
  /** Milliseconds until a run that it begins is over. */
  readonly endsInMs?: number
  /** Negative to give back. A window is never below 0. */
  readonly amount: number
}

/** A change to a place after a claim. */
export interface PlaceChange {
  /** The group of the claim. */
  readonly group: string
  /** The requests among which it is a place. */
  readonly bucket: string
  /** The id of the place. */
  readonly place: string
  /** False: given back. True: the process has it, and it counts whatever the limit is. So processes tell what they have after a failure. */
  readonly isHeld: boolean
}

/** Counts that all processes add to, such as those of an endpoint in one minute. */
export interface CountDelta {
  /** The name of the sum. */
  readonly name: string
  /** Whole numbers, by field. */
  readonly counts: Readonly<Record<string, number>>
  /** How long the sum is kept. */
  readonly forMs: number
}

/** A sum over all processes. */
export interface CountSum {
  /** The name of the sum. */
  readonly name: string
  /** By the names of its members. */
  readonly counts: Readonly<Record<string, number>>
}

/** Numbers that describe a process at this moment, such as its requests in progress. Neither content nor secrets. */
export type Gauges = Readonly<Record<string, number>>

/** The answer to a sign of life. */
export interface Beat {
  /** Processes that gave a sign of life lately, with this one. */
  readonly processes: number
  /** Another value: what was counted is lost, as after a restart without persistence. */
  readonly generation: string
}

/**
 * Where processes count together: a server such as Valkey, or the owner process of one machine. Experimental. Core calls it only through
 * `Coordinated`, which bounds every call, and continues with this process's share while it fails. All times are those of the one clock that
 * the implementation has. Calls of one process for one group take effect in their order. Nothing that it gets is content or a secret. A promise
 * that cannot be kept rejects soon: nobody waits for more than 50 ms, but each open call takes memory. `coordinationSuite` of
 * `turnpike/testing` checks an implementation.
 */
export interface Coordination {
  /** How many processes there are at least, if that is known, such as the workers of one machine. */
  readonly expectedProcesses?: number | undefined
  /**
   * Takes all of it or nothing, in one atomic step and one round trip. A place is this process's until it is given back, or until the process
   * has given no sign of life for about ten seconds. Every call is one.
   */
  claim(claim: Claim): Promise<Claimed | Unclaimed>
  /**
   * Applies changes, each at most once and in one round trip per node. A place that is unknown cannot be given back: that is ignored. From the
   * call on, the changes are the implementation's: it repeats them itself if a connection breaks, so never pass them again, not even after a
   * rejection.
   */
  change(windows: readonly WindowChange[], places: readonly PlaceChange[]): Promise<void>
  /** How windows of one group stand, in their order. Begins and counts nothing. */
  states(group: string, windows: readonly TokenWindow[]): Promise<readonly CoordinatedWindow[]>
  /** A sign of life, once a second, and what tells that the service works again. Prolongs what this process has. */
  beat(gauges: Gauges): Promise<Beat>
  /** The gauges of every process that gave a sign of life lately. Called when somebody looks. */
  gauges(): Promise<readonly Gauges[]>
  /**
   * Adds to sums, and returns those that changed since the exchange that returned `since`; all that are kept if it is undefined. Called once a
   * second, and never with two at once. Deltas are the implementation's from the call on, as changes are.
   */
  exchange(
    deltas: readonly CountDelta[],
    since: string | undefined,
  ): Promise<{ readonly sums: readonly CountSum[]; readonly since: string }>
}
export const Coordination = contract<Coordination>('coordination', { version: 1, stability: 'experimental' })
