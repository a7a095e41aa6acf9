import type { FullWindow, TokenWindow, WindowHold, WindowState } from '../contracts/rate-limiter.ts'
import type { Clock } from '../foundation/clock.ts'
import type { OwnWindow, OwnWindows } from './own-windows.ts'
import { stateOf, whole } from './window-states.ts'

export interface HoldParts {
  readonly own: OwnWindows
  readonly clock: Clock
  readonly group: string
  readonly windows: readonly TokenWindow[]
  /** Takes more from every window, or from none. */
  readonly more: (amount: number) => Promise<readonly OwnWindow[] | FullWindow>
}

interface Taken {
  readonly window: OwnWindow
  readonly tokens: number
}

/** Tokens held in windows. It ends without a wait: what is given back, or was used beyond it, is sent a little later. */
export class CoordinatedHold implements WindowHold {
  readonly #parts: HoldParts
  #held: number
  #taken: readonly Taken[]
  #states: readonly WindowState[]
  #isOver = false

  constructor(parts: HoldParts, taken: readonly OwnWindow[], tokens: number, states: readonly WindowState[]) {
    this.#parts = parts
    this.#held = tokens
    this.#taken = taken.map(window => ({ window, tokens }))
    this.#states = states
  }

  get states(): readonly WindowState[] {
    return this.#states
  }

  async extend(amount: number): Promise<boolean> {
    return this.#isOver ? false : (await this.#extend(whole(amount))) === undefined
  }

  settle(actual: number): void {
    this.#end(whole(actual))
  }

  release(): void {
    this.#end(0)
  }

  /** Holds this many in all. If they do not fit, nothing is held. */
  fit(amount: number): this | Promise<this | FullWindow> {
    const tokens = whole(amount)
    if (tokens > this.#held) return this.#fitMore(tokens - this.#held)
    this.#giveBack(this.#held - tokens)
    this.#held = tokens
    this.#taken = this.#taken.map(({ window }) => ({ window, tokens }))
    const now = this.#parts.clock.now()
    this.#states = this.#taken.map(({ window }, index) =>
      stateOf(this.#parts.windows[index]!.tokens, window.used, this.#parts.own.endsInMs(window), now),
    )
    return this
  }

  async #fitMore(more: number): Promise<this | FullWindow> {
    let full: FullWindow | undefined
    try {
      full = await this.#extend(more)
    } catch (error) {
      this.release()
      throw error
    }
    if (!full) return this
    this.release()
    return full
  }

  async #extend(more: number): Promise<FullWindow | undefined> {
    const taken = await this.#parts.more(more)
    if ('full' in taken) return taken
    this.#taken = this.#taken.map((before, index) => {
      const window = taken[index]!
      return { window, tokens: window === before.window ? before.tokens + more : more }
    })
    this.#held += more
    if (!this.#isOver) return undefined
    // The request ended while this waited.
    this.#giveBack(more)
    return undefined
  }

  #end(actual: number): void {
    if (this.#isOver) return
    this.#isOver = true
    if (actual <= this.#held) return this.#giveBack(this.#held - actual)
    const { own, windows, group } = this.#parts
    for (const window of windows) own.add(own.current(window, group), actual - this.#held)
  }

  /** Tokens of a finished window need no refund. */
  #giveBack(tokens: number): void {
    const { own } = this.#parts
    for (const { window, tokens: held } of this.#taken) if (own.open(window.bucket) === window) own.add(window, -Math.min(tokens, held))
  }
}
