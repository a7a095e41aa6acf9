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

/** Changes that wait to be sent to the service where processes count together. Changes of the same run are added up. */
export class PendingChanges {
  readonly #clock: Clock
  /** By bucket. */
  readonly #windows = new Map<string, PendingWindow[]>()
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

  /** True if one of these windows has more in it, or less, than the service knows. */
  has(buckets: readonly { readonly bucket: string }[], which: 'more' | 'less'): boolean {
    if (this.#windows.size === 0) return false
    return buckets.some(({ bucket }) => this.#windows.get(bucket)?.some(({ amount }) => (which === 'more' ? amount > 0 : amount < 0)))
  }

  addWindow({ amount, endsInMs, ...change }: WindowChange): void {
    if (amount === 0) return
    const now = this.#clock.elapsed()
    const endsAt = now + (endsInMs ?? change.windowMs)
    const pending = this.#windows.get(change.bucket)
    const same = pending?.find(each => each.change.run === change.run && now < each.endsAt)
    if (same) same.amount += amount
    else if (pending) pending.push({ change, endsAt, amount })
    else {
      this.#prune(now)
      this.#windows.set(change.bucket, [{ change, endsAt, amount }])
    }
  }

  addPlace(change: PlaceChange): void {
    this.#places.set(nameOf(change), change)
  }

  /** About this many of each. What ended while it waited is left out. */
  take(most: number): ChangeBatch {
    const now = this.#clock.elapsed()
    const windows: WindowChange[] = []
    for (const [bucket, pending] of this.#windows) {
      if (windows.length >= most) break
      this.#windows.delete(bucket)
      for (const { change, endsAt, amount } of pending)
        if (now < endsAt && amount !== 0) windows.push({ ...change, endsInMs: endsAt - now, amount })
    }
    const places: PlaceChange[] = []
    for (const [name, place] of this.#places) {
      if (places.length >= most) break
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
    // A place that is held may have been given back since. Those that still are will be told again.
    for (const change of places) if (!change.isHeld || (how === 'unsent' && !this.#places.has(nameOf(change)))) this.addPlace(change)
  }

  /** Call when the service has lost its counts, and their runs with them. */
  forgetWindows(): void {
    this.#windows.clear()
  }

  #prune(now: number): void {
    if (this.#windows.size < this.#pruneFrom) return
    for (const [bucket, pending] of this.#windows) if (pending.every(({ endsAt }) => endsAt <= now)) this.#windows.delete(bucket)
    this.#pruneFrom = Math.max(pruneFrom, this.#windows.size * 2)
  }
}

function nameOf({ group, bucket, place }: PlaceChange): string {
  return JSON.stringify([group, bucket, place])
}
