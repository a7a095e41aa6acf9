import type { CoordinatedWindow, WindowChange, WindowClaim } from '../contracts/coordination.ts'
import type { TokenWindow } from '../contracts/rate-limiter.ts'
import type { Clock } from '../foundation/clock.ts'

interface Window {
  readonly run: string
  readonly endsAt: number
  used: number
}

const pruneEveryMs = 10_000

/** Fixed windows: one begins with its first claim. */
export class SharedWindows {
  readonly #clock: Clock
  readonly #generation: string
  readonly #windows = new Map<string, Window>()
  #runs = 0
  #pruneAt = 0

  constructor(clock: Clock, generation: string) {
    this.#clock = clock
    this.#generation = generation
  }

  /** The buckets without room for this. */
  full(windows: readonly WindowClaim[]): readonly string[] {
    return windows.filter(window => this.#usedOf(window) + window.amount > window.tokens).map(({ bucket }) => bucket)
  }

  take(windows: readonly WindowClaim[]): readonly CoordinatedWindow[] {
    return windows.map(({ bucket, windowMs, amount, saved }) => {
      let window = this.#open(bucket)
      if (!window) {
        const isSaved = saved !== undefined && saved.endsInMs > 0
        window = this.#begin(bucket, isSaved ? saved.endsInMs : windowMs, isSaved ? saved.used : 0)
      }
      window.used += amount
      return this.#stateOf(window)
    })
  }

  states(windows: readonly (TokenWindow & Pick<WindowClaim, 'saved'>)[]): readonly CoordinatedWindow[] {
    return windows.map(({ bucket, saved }) => {
      const window = this.#open(bucket)
      if (window) return this.#stateOf(window)
      const isSaved = saved !== undefined && saved.endsInMs > 0
      return isSaved ? { ...saved, run: undefined } : { used: 0, endsInMs: undefined, run: undefined }
    })
  }

  change({ bucket, windowMs, run, endsInMs = windowMs, amount }: WindowChange): void {
    let window = this.#open(bucket)
    if (run !== undefined && window?.run !== run) return
    if (!window && (amount <= 0 || endsInMs <= 0)) return
    window ??= this.#begin(bucket, endsInMs, 0)
    window.used = Math.max(0, window.used + amount)
  }

  #usedOf({ bucket, saved }: WindowClaim): number {
    return this.#open(bucket)?.used ?? (saved && saved.endsInMs > 0 ? saved.used : 0)
  }

  #open(bucket: string): Window | undefined {
    const window = this.#windows.get(bucket)
    return window && this.#clock.elapsed() < window.endsAt ? window : undefined
  }

  #begin(bucket: string, endsInMs: number, used: number): Window {
    const now = this.#clock.elapsed()
    this.#prune(now)
    const window = { run: `${this.#generation}.${++this.#runs}`, endsAt: now + endsInMs, used }
    this.#windows.set(bucket, window)
    return window
  }

  #stateOf({ used, endsAt, run }: Window): CoordinatedWindow {
    return { used, endsInMs: endsAt - this.#clock.elapsed(), run }
  }

  #prune(now: number): void {
    if (now < this.#pruneAt) return
    this.#pruneAt = now + pruneEveryMs
    for (const [bucket, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(bucket)
  }
}
