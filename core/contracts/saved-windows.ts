import type { Maybe } from '../runtime/pending.ts'
import { contract } from '../foundation/token.ts'

/** A window, or a change of one. */
export interface SavedWindow {
  /** The name of its budget. */
  readonly bucket: string
  /** In a change, what is added: negative to give back. */
  readonly used: number
  /** Milliseconds until it ends. */
  readonly endsInMs: number
}

/**
 * Keeps windows of an hour or more for a limiter that counts elsewhere: they survive a restart of it, and machines that cannot count together
 * know of each other. Experimental. Every process adds what it has counted itself.
 */
export interface SavedWindows {
  /** True if other machines may use the same store. */
  readonly isShared?: boolean
  /** Those that have not ended, in any order. */
  read(buckets: readonly string[]): Maybe<readonly SavedWindow[]>
  /** Adds to these windows, or begins those that have ended. Returns them as they are then, in any order, without those that it did not keep. */
  add(changes: readonly SavedWindow[]): Maybe<readonly SavedWindow[]>
}
export const SavedWindows = contract<SavedWindows>('saved-windows', { version: 1, stability: 'experimental' })
