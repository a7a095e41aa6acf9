import { Concurrency, type Clock, type Hold, type RateLimiter, type TokenWindow } from '../../../core/index.ts'

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

  async reserve(window: TokenWindow, amount: number): Promise<Hold | { readonly retryAfterMs: number | undefined }> {
    const tokens = whole(amount)
    const current = this.#take(window, tokens)
    if (current) return this.#hold(window, tokens, current)
    return { retryAfterMs: tokens > window.tokens ? undefined : this.#current(window).endsAtMs - this.#clock.elapsed() }
  }

  #hold(window: TokenWindow, tokens: number, current: Window): Hold {
    let ended = false
    let held = tokens
    // What was held in windows before this one needs no refund.
    let last = { window: current, tokens }
    const end = (actual: number): void => {
      if (ended) return
      ended = true
      if (actual > held) this.#current(window).used += actual - held
      else last.window.used -= Math.min(held - actual, last.tokens)
    }
    return {
      extend: amount => {
        const more = whole(amount)
        const taken = ended ? undefined : this.#take(window, more)
        if (!taken) return false
        last = { window: taken, tokens: more + (taken === last.window ? last.tokens : 0) }
        held += more
        return true
      },
      settle: actual => end(whole(actual)),
      release: () => end(0),
    }
  }

  /** Returns undefined if the window has no room. */
  #take(window: TokenWindow, tokens: number): Window | undefined {
    if (tokens > window.tokens) return undefined
    const current = this.#current(window)
    if (current.used + tokens > window.tokens) return undefined
    current.used += tokens
    return current
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

function whole(tokens: number): number {
  if (!(tokens >= 0)) throw new RangeError(`expected a number of tokens of 0 or more, got ${tokens}`)
  return Math.ceil(tokens)
}
