import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../core/index.ts'

/**
 * A clock that jumps to the next event. Code between two jumps takes no time: the clock stands still until
 * every task waits in `sleep` or is over.
 */
export class VirtualTime implements Clock {
  #ms: number
  /** Ascending. */
  readonly #sleepers: { readonly wakeMs: number; readonly wake: () => void }[] = []
  #awake = 0

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#ms = startMs
  }

  now(): number {
    return this.#ms
  }

  elapsed(): number {
    return this.#ms
  }

  /** Call within a task only. */
  sleep(ms: number): Promise<void> {
    const wakeMs = this.#ms + Math.max(0, ms)
    const after = this.#sleepers.findLastIndex(sleeper => sleeper.wakeMs <= wakeMs)
    this.#awake--
    return new Promise(wake => this.#sleepers.splice(after + 1, 0, { wakeMs, wake }))
  }

  /** Starts a task, which may start others. */
  start(task: () => Promise<void>): void {
    this.#awake++
    void task().finally(() => this.#awake--)
  }

  /** Resolves when all tasks are over. */
  async run(): Promise<void> {
    for (;;) {
      while (this.#awake > 0) await setImmediate()
      const next = this.#sleepers.shift()
      if (!next) return
      this.#ms = next.wakeMs
      this.#awake++
      next.wake()
    }
  }
}
