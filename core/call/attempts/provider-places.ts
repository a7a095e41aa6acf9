import type { Maybe } from '../../runtime/pending.ts'

/** How many requests may be at a provider at once. */
export interface ProviderPlaces {
  /** True if there is surely none left. */
  readonly isFull: boolean
  /** Takes a place, and returns a function that gives it back. Undefined if no place is free. */
  take(): Maybe<(() => void) | undefined>
  /** True if the place of a request that has ended may go to one that waits here. `running`: how many are under way, with the one that has ended. */
  mayPassOn(running: number): boolean
  /** Resolves when it is worth to ask again, while requests wait. Absent: a place is free only when one of this process is given back. */
  again?(tries: number): Promise<void>
}

/** Those of this process alone. */
export class OwnProviderPlaces implements ProviderPlaces {
  readonly #limit: number
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.#taken >= this.#limit
  }

  take(): (() => void) | undefined {
    if (this.isFull) return undefined
    this.#taken++
    return () => void this.#taken--
  }

  mayPassOn(): boolean {
    return true
  }
}
