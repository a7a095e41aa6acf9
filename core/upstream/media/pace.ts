import { setImmediate as nextTurn } from 'node:timers/promises'

/** A few milliseconds of work. */
const bytesInTurn = 4 * 1024 * 1024

/** Spreads the work on bytes from many connections over several turns of the event loop. */
export class Pace {
  #bytes = 0
  #turn: Promise<void> | undefined

  /** The wait for the next turn, unless this turn has room. */
  next(bytes: number): Promise<void> | undefined {
    this.#bytes += bytes
    if (this.#bytes <= bytesInTurn) return undefined
    return (this.#turn ??= this.#nextTurn())
  }

  async #nextTurn(): Promise<void> {
    await nextTurn()
    this.#bytes = 0
    this.#turn = undefined
  }
}
