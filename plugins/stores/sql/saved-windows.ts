import type { Clock } from '../../../core/index.ts'
import type { SavedWindow, SavedWindows } from '../../../core/stores.ts'
import type { RateWindowTable } from './tables.ts'
import type { WindowRows } from './window-rows.ts'

/** Keeps windows for a limiter that counts elsewhere. */
export class SqlSavedWindows implements SavedWindows {
  readonly isShared: boolean
  readonly #rows: WindowRows
  readonly #clock: Clock

  constructor(rows: WindowRows, clock: Clock, isShared = false) {
    this.isShared = isShared
    this.#rows = rows
    this.#clock = clock
  }

  async read(buckets: readonly string[]): Promise<readonly SavedWindow[]> {
    return this.#shown(await this.#rows.read(buckets))
  }

  async add(changes: readonly SavedWindow[]): Promise<readonly SavedWindow[]> {
    const now = this.#clock.now()
    const rows = changes.map(({ bucket, used, endsInMs }) => ({ bucket, used, ends_at: Math.ceil(now + endsInMs) }))
    return this.#shown(await this.#rows.add(rows.toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1))))
  }

  #shown(rows: readonly RateWindowTable[]): readonly SavedWindow[] {
    const now = this.#clock.now()
    return rows.map(({ bucket, used, ends_at }) => ({ bucket, used, endsInMs: ends_at - now }))
  }
}
