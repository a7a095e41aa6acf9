import type { Clock } from '../../../core/index.ts'
import type { SignOuts } from '../../../core/stores.ts'

export class MemorySignOuts implements SignOuts {
  readonly #clock: Clock
  /** Until when each is kept, on `Clock.elapsed`. The oldest first. */
  readonly #kept = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(id: string, forMs: number): void {
    const now = this.#clock.elapsed()
    for (const [other, until] of this.#kept) {
      if (until > now) break
      this.#kept.delete(other)
    }
    this.#kept.set(id, now + forMs)
  }

  has(id: string): boolean {
    return (this.#kept.get(id) ?? 0) > this.#clock.elapsed()
  }
}
