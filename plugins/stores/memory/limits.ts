import type { Clock } from '../../../core/index.ts'
import {
  Concurrency,
  FullWindows,
  type FullWindow,
  type RateLimiter,
  type TokenWindow,
  type WindowHold,
  type WindowState,
} from '../../../core/stores.ts'

interface Window {
  readonly endsAtMs: number
  used: number
}

const pruneEveryMs = 60_000

/** Fixed windows: a bucket's window starts with its first reservation. */
export class MemoryLimits implements RateLimiter {
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()
  readonly #concurrency = new Concurrency()
  #prunedAtMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  enter(bucket: string, limit: number): (() => void) | undefined {
    return this.#concurrency.enter(bucket, limit)
  }

  async reserve(windows: readonly TokenWindow[], amount: number): Promise<WindowHold | FullWindow> {
    const tokens = whole(amount)
    const full = this.#full(windows, tokens)
    return full ? new FullWindows(full, this.states(windows)) : this.#hold(windows, tokens)
  }

  states(windows: readonly TokenWindow[]): readonly WindowState[] {
    const elapsedMs = this.#clock.elapsed()
    const now = this.#clock.now()
    return windows.map(({ bucket, tokens }) => {
      const known = this.#windows.get(bucket)
      if (!known || elapsedMs >= known.endsAtMs) return { left: tokens, refillsAt: undefined }
      return { left: Math.max(0, tokens - known.used), refillsAt: now + known.endsAtMs - elapsedMs }
    })
  }

  /** Of the windows without room, the one with the longest wait. */
  #full(windows: readonly TokenWindow[], tokens: number): FullWindow | undefined {
    let longest: FullWindow | undefined
    for (const full of windows) {
      const { endsAtMs, used } = this.#current(full)
      if (used + tokens <= full.tokens) continue
      const retryAfterMs = tokens > full.tokens ? undefined : endsAtMs - this.#clock.elapsed()
      if (!longest || waitOf({ retryAfterMs }) > waitOf(longest)) longest = { full, retryAfterMs }
    }
    return longest
  }

  #hold(windows: readonly TokenWindow[], tokens: number): WindowHold {
    let isOver = false
    let held = tokens
    // Holds in earlier windows need no refund.
    let latest = windows.map(window => this.#take(window, tokens))
    const end = (actual: number): void => {
      if (isOver) return
      isOver = true
      if (actual > held) for (const window of windows) this.#current(window).used += actual - held
      else for (const taken of latest) taken.window.used -= Math.min(held - actual, taken.tokens)
    }
    return {
      states: this.states(windows),
      extend: amount => {
        const more = whole(amount)
        if (isOver || this.#full(windows, more)) return false
        latest = latest.map((before, index) => {
          const taken = this.#take(windows[index]!, more)
          return taken.window === before.window ? { ...taken, tokens: before.tokens + more } : taken
        })
        held += more
        return true
      },
      settle: actual => end(whole(actual)),
      release: () => end(0),
    }
  }

  #take(window: TokenWindow, tokens: number): { readonly window: Window; readonly tokens: number } {
    const current = this.#current(window)
    current.used += tokens
    return { window: current, tokens }
  }

  #current({ bucket, windowMs }: TokenWindow): Window {
    const now = this.#clock.elapsed()
    const known = this.#windows.get(bucket)
    if (known && now < known.endsAtMs) return known
    this.#prune(now)
    const fresh = { endsAtMs: now + windowMs, used: 0 }
    this.#windows.set(bucket, fresh)
    return fresh
  }

  #prune(now: number): void {
    if (now - this.#prunedAtMs < pruneEveryMs) return
    this.#prunedAtMs = now
    for (const [bucket, { endsAtMs }] of this.#windows) if (endsAtMs <= now) this.#windows.delete(bucket)
  }
}

function waitOf({ retryAfterMs = Infinity }: Pick<FullWindow, 'retryAfterMs'>): number {
  return retryAfterMs
}

function whole(tokens: number): number {
  if (!(tokens >= 0)) throw new RangeError(`expected a number of tokens of 0 or more, got ${tokens}`)
  return Math.ceil(tokens)
}
