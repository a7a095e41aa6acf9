import { createRequire } from 'node:module'
import type { RateLimiterMemory as Counts, RateLimiterRes } from 'rate-limiter-flexible'
import { Concurrency, type Hold, type RateLimiter, type TokenWindow } from '../../../core/index.ts'

// The direct import that the package documents. Its main module loads the limiters for every database: 6.5 MB and 25 ms more at startup.
// `require`, because the direct import has no types.
const RateLimiterMemory = createRequire(import.meta.url)('rate-limiter-flexible/lib/RateLimiterMemory.js') as typeof Counts

/** The longest delay of a Node timer. The library uses a timer to drop a window. */
const longestWindowMs = 2 ** 31 - 1

/** Fixed windows: a bucket's window starts with its first reservation and is dropped when it ends. */
export class MemoryLimits implements RateLimiter {
  // Each bucket has its own limit, so limits are compared here. The library only counts and drops windows.
  readonly #counts = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 60, keyPrefix: '' })
  readonly #concurrency = new Concurrency()
  #turn: Promise<unknown> = Promise.resolve()

  enter(bucket: string, limit: number): (() => void) | undefined {
    return this.#concurrency.enter(bucket, limit)
  }

  async reserve(window: TokenWindow, tokens: number): Promise<Hold | { readonly retryAfterMs: number | undefined }> {
    const taken = await this.#take(window, whole(tokens))
    return 'endsAt' in taken ? this.#hold(window, whole(tokens), taken.endsAt) : taken
  }

  #hold(window: TokenWindow, tokens: number, endsAt: number): Hold {
    let ended = false
    let held = tokens
    // Tokens of a finished window need no refund.
    let current = { tokens, endsAt }
    const end = async (actual: number): Promise<void> => {
      if (ended) return
      ended = true
      const back = Math.min(held - actual, current.tokens)
      await this.#alone(async () => {
        if (actual > held) await this.#add(window, actual - held)
        else if (back > 0 && Date.now() < current.endsAt && (await this.#count(window))) await this.#add(window, -back)
      })
    }
    return {
      extend: async more => {
        if (ended) return false
        const taken = await this.#take(window, whole(more))
        if (!('endsAt' in taken)) return false
        const sameWindow = Date.now() < current.endsAt
        current = { tokens: whole(more) + (sameWindow ? current.tokens : 0), endsAt: taken.endsAt }
        held += whole(more)
        return true
      },
      settle: actual => end(whole(actual)),
      release: () => end(0),
    }
  }

  #take(window: TokenWindow, tokens: number): Promise<{ endsAt: number } | { retryAfterMs: number | undefined }> {
    return this.#alone(async () => {
      if (tokens > window.tokens) return { retryAfterMs: undefined }
      const count = await this.#count(window)
      if (count && count.consumedPoints + tokens > window.tokens) return { retryAfterMs: count.msBeforeNext }
      const added = await this.#add(window, tokens)
      return { endsAt: Date.now() + added.msBeforeNext }
    })
  }

  async #count(window: TokenWindow): Promise<RateLimiterRes | undefined> {
    const count = await this.#counts.get(window.bucket)
    return count && count.msBeforeNext > 0 ? count : undefined
  }

  #add(window: TokenWindow, tokens: number): Promise<RateLimiterRes> {
    return this.#counts.penalty(window.bucket, tokens, { customDuration: Math.min(window.windowMs, longestWindowMs) / 1000 })
  }

  /** Runs one at a time, so that nothing changes a count between reading it and adding to it. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}

function whole(tokens: number): number {
  if (!(tokens >= 0)) throw new RangeError(`expected a number of tokens of 0 or more, got ${tokens}`)
  return Math.ceil(tokens)
}
