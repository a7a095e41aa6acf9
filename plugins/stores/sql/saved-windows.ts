import type { Clock } from '../../../core/index.ts'
import type { SavedWindow, SavedWindows } from '../../../core/stores.ts'
import type { WindowRows } from './window-rows.ts'

/** Keeps windows for a limiter that counts elsewhere. */
export class SqlSavedWindows implements SavedWindows {
  readonly #rows: WindowRows
  readonly #clock: Clock

  constructor(rows: WindowRows, clock: Clock) {
    this.#rows = rows
    this.#clock = clock
  }

  async read(buckets: readonly string[]): Promise<readonly SavedWindow[]> {
    const rows = await this.#rows.read(buckets)
    const now = this.#clock.now()
    return rows.map(({ bucket, used, ends_at }) => ({ bucket, used, endsInMs: ends_at - now }))
  }

  async save(windows: readonly SavedWindow[]): Promise<void> {
    const now = this.#clock.now()
    const rows = windows.map(({ bucket, used, endsInMs }) => ({ bucket, used, ends_at: Math.ceil(now + endsInMs) }))
    await this.#rows.replace(rows.toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1)))
  }
}
