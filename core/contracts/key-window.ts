/** How a window of a key stands after what a request reserved in it. */
export interface KeyWindow {
  /** The unit of `limit` and `left`. */
  readonly unit: 'requests' | 'tokens'
  /** The requests or tokens of a whole window. */
  readonly limit: number
  /** The length of the window. */
  readonly windowMs: number
  /** Neither used nor held. */
  readonly left: number
  /** Milliseconds since the epoch. Undefined if the window has not begun. */
  readonly refillsAt: number | undefined
}
