import type { FullWindow, TokenWindow, WindowState } from '../contracts/rate-limiter.ts'

/** An amount that a request takes from a window. */
export interface Wish {
  readonly window: TokenWindow
  readonly amount: number
}

/** How a window stands, for a limit that may be a share of its budget. */
export function stateOf(limit: number, used: number, endsInMs: number | undefined, now: number): WindowState {
  return { left: Math.max(0, limit - used), refillsAt: endsInMs === undefined ? undefined : now + endsInMs }
}

/** Of the windows without room, the one with the longest wait. `isFull` and `endsInMs` are for wishes by their place. */
export function fullOf(
  wishes: readonly Wish[],
  isFull: (index: number) => boolean,
  endsInMs: (index: number) => number | undefined,
): FullWindow | undefined {
  let longest: FullWindow | undefined
  for (const [index, { window, amount }] of wishes.entries()) {
    if (!isFull(index)) continue
    const retryAfterMs = amount > window.tokens ? undefined : (endsInMs(index) ?? window.windowMs)
    if (!longest || waitOf({ retryAfterMs }) > waitOf(longest)) longest = { full: window, retryAfterMs }
  }
  return longest
}

function waitOf({ retryAfterMs = Infinity }: Pick<FullWindow, 'retryAfterMs'>): number {
  return retryAfterMs
}

export function whole(tokens: number): number {
  if (!(tokens >= 0)) throw new RangeError(`expected a number of tokens of 0 or more, got ${tokens}`)
  return Math.ceil(tokens)
}
