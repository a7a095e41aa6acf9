import type { FullWindow, TokenWindow, WindowState } from '../contracts/rate-limiter.ts'

/** The answer of a limiter that reserved nothing. */
export class FullWindows implements FullWindow {
  /** The window that is full for longest. */
  readonly full: TokenWindow
  /** Milliseconds until it refills. Undefined: even a whole window is too small. */
  readonly retryAfterMs: number | undefined
  readonly #states: readonly WindowState[]

  constructor({ full, retryAfterMs }: FullWindow, states: readonly WindowState[]) {
    this.full = full
    this.retryAfterMs = retryAfterMs
    this.#states = states
  }

  /** How all windows stand. */
  get states(): readonly WindowState[] {
    return this.#states
  }
}
