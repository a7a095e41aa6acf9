import type { FullWindow, TokenWindow, WindowState } from '../contracts/rate-limiter.ts'

/** The answer of a limiter that reserved nothing. */
export class FullWindows implements FullWindow {
  readonly full: TokenWindow
  readonly retryAfterMs: number | undefined
  readonly #states: readonly WindowState[]

  constructor({ full, retryAfterMs }: FullWindow, states: readonly WindowState[]) {
    this.full = full
    this.retryAfterMs = retryAfterMs
    this.#states = states
  }

  get states(): readonly WindowState[] {
    return this.#states
  }
}
