import type { Maybe } from '../runtime/pending.ts'
import { contract } from '../foundation/token.ts'

/** How a window stood when it was saved. */
export interface SavedWindow {
  readonly bucket: string
  readonly used: number
  readonly endsInMs: number
}

/**
 * Keeps windows of an hour or more for a limiter that counts elsewhere, so that they survive a restart of it. Experimental. Every process
 * saves what it knows, so a window that is saved again replaces the one before.
 */
export interface SavedWindows {
  /** Those that have not ended, in any order. */
  read(buckets: readonly string[]): Maybe<readonly SavedWindow[]>
  save(windows: readonly SavedWindow[]): Maybe<void>
}
export const SavedWindows = contract<SavedWindows>('saved-windows', { version: 1, stability: 'experimental' })
