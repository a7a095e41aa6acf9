import type { FinishReason, ProviderFailure } from '../../core/index.ts'
import type { ToldCounts } from './told-usage.ts'

/** A reply, or an event of a stream, that was just parsed. */
export type Body = Record<string, unknown>

/** Where a dialect has what a host may tell in its own words. */
export interface Anatomy {
  /** The member of an event that has what a reply has at its top, if there is one. */
  readonly holder?: string
  /** The dialect's count of the input includes what caches read and wrote. */
  readonly includesCache: boolean
  putUsage(body: Body, counts: ToldCounts): void
  /** The reasons to stop in a body. */
  stops(body: Body): readonly Stop[]
  /** An error under a success status, as the dialect reads it. */
  failureInside(error: unknown, upstream: string): ProviderFailure
}

export interface Stop {
  readonly reason: string
  /** Puts the dialect's word in its place. */
  put(meant: Meant): void
}

/** A reason that hosts can give. */
export type Meant = Exclude<FinishReason, 'pause'>
