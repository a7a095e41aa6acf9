import type { PlaceChange, WindowChange } from '../contracts/coordination.ts'
import type { Clock } from '../foundation/clock.ts'

/** A change that waits. `endsAt` is on `Clock.elapsed`: after it, the change means nothing. */
interface PendingWindow {
  readonly change: Omit<WindowChange, 'amount' | 'endsInMs'>
  readonly endsAt: number
  amount: number
}

export interface ChangeBatch {
  readonly windows: readonly WindowChange[]
  readonly places: readonly PlaceChange[]
}

const pruneFrom = 10_000

/** What is to be sent to the service where processes count together. Changes of one run are one. */
export class PendingChanges {
  readonly #clock: Clock
  readonly #windows = new Map<string, PendingWindow>()
  readonly #places = new Map<string, PlaceChange>()
  #pruneFrom = pruneFrom

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isEmpty(): boolean {
    return this.#windows.size === 0 && !this.hasPlaces
  }

  get hasPlaces(): boolean {
    return this.#places.size > 0
  }

  addWindow({ amount, endsInMs, ...change }: WindowChange): void {
    if (amount === 0) return
    const name = JSON.stringify([change.group, change.bucket, change.run])
    const now = this.#clock.elapsed()
    const known = this.#windows.get(name)
    if (known && now < known.endsAt) {
      known.amount += amount
      return
    }
    this.#prune(now)
    this.#windows.set(name, { change, endsAt: now + (endsInMs ?? change.windowMs), amount })
  }

  addPlace(change: PlaceChange): void {
    this.#places.set(nameOf(change), change)
  }

  /** At most this many of each. What ended while it waited is left out. */
  take(most: number): ChangeBatch {
    const now = this.#clock.elapsed()
    const windows: WindowChange[] = []
    for (const [name, { change, endsAt, amount }] of this.#windows) {
      if (windows.length === most) break
      this.#windows.delete(name)
      if (now < endsAt && amount !== 0) windows.push({ ...change, endsInMs: endsAt - now, amount })
    }
    const places: PlaceChange[] = []
    for (const [name, place] of this.#places) {
      if (places.length === most) break
      this.#places.delete(name)
      places.push(place)
    }
    return { windows, places }
  }

  /**
   * Takes a batch back. If nobody knows whether it arrived, counts are added once more, but room is not given back twice: so a limit holds
   * either way.
   */
  restore({ windows, places }: ChangeBatch, how: 'unsent' | 'unknown'): void {
    for (const change of windows) if (change.amount > 0 || how === 'unsent') this.addWindow(change)
    // What was added meanwhile is newer.
    for (const change of places) if (!this.#places.has(nameOf(change))) this.addPlace(change)
  }

  /** What was counted is lost, and so are its runs. */
  forgetWindows(): void {
    this.#windows.clear()
  }

  #prune(now: number): void {
    if (this.#windows.size < this.#pruneFrom) return
    for (const [name, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(name)
    this.#pruneFrom = Math.max(pruneFrom, this.#windows.size * 2)
  }
}

function nameOf({ group, bucket, place }: PlaceChange): string {
  return JSON.stringify([group, bucket, place])
}
