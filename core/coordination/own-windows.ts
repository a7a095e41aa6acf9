import type { CoordinatedWindow, WindowChange } from '../contracts/coordination.ts'
import type { TokenWindow } from '../contracts/rate-limiter.ts'
import type { SavedWindow } from '../contracts/saved-windows.ts'
import type { Clock } from '../foundation/clock.ts'

/** A run of a window, as this process knows it. */
export interface OwnWindow {
  readonly group: string
  readonly bucket: string
  readonly windowMs: number
  /** Undefined while only this process knows of it. */
  run: string | undefined
  /** On `Clock.elapsed`. */
  endsAt: number
  /** The part that this process has counted. */
  counted: number
  /** The whole, as far as this process knows. */
  used: number
  /** The part of `counted` that is in no saved window. */
  unsaved: number
  /** The count of other machines, which the service does not know. */
  elsewhere: number
  /** When the service told how it stands, on `Clock.elapsed`. */
  toldAt: number
  /** How it was saved, if this process went on from there because the service could not be asked. The service gets it with the next claim. */
  readonly savedUsed: number | undefined
  /** It took the place of one that had not ended, whose counts were added again. */
  isAgain: boolean
}

const pruneFrom = 10_000
/** A window that ends this much too early was lost. Less is how long an answer takes. */
const earlyMs = 1_000

/**
 * This process's part of the counts in open windows. It keeps the part to itself while processes cannot count together, and counts it once
 * more if the service loses it.
 */
export class OwnWindows {
  readonly #clock: Clock
  readonly #change: (change: WindowChange) => void
  readonly #changed: (window: OwnWindow) => void
  readonly #windows = new Map<string, OwnWindow>()
  /** The unsaved counts of windows that were forgotten. */
  readonly #carried = new Map<string, Pick<OwnWindow, 'endsAt' | 'unsaved'>>()
  #pruneFrom = pruneFrom

  /** `change`: tells the service. `changed`: called when a window has another count. */
  constructor(clock: Clock, change: (change: WindowChange) => void, changed: (window: OwnWindow) => void) {
    this.#clock = clock
    this.#change = change
    this.#changed = changed
  }

  /** Undefined if it has not begun, as far as this process knows. */
  open(bucket: string): OwnWindow | undefined {
    const window = this.#windows.get(bucket)
    return window && this.isOpen(window) ? window : undefined
  }

  isOpen({ endsAt }: OwnWindow): boolean {
    return this.#clock.elapsed() < endsAt
  }

  endsInMs({ endsAt }: OwnWindow): number {
    return endsAt - this.#clock.elapsed()
  }

  /** True if it was never asked for, so that a window that was saved may count. */
  isUnknown(bucket: string): boolean {
    return !this.#windows.has(bucket)
  }

  /** The service took `amount`, and tells how the window stands. `isSaved`: if it did not know the window, it was told how this one stood. */
  told(
    { bucket, windowMs }: TokenWindow,
    group: string,
    { run, used, endsInMs }: CoordinatedWindow,
    amount: number,
    isSaved: boolean,
  ): OwnWindow | undefined {
    if (run === undefined || endsInMs === undefined) return undefined
    const endsAt = this.#clock.elapsed() + endsInMs
    const known = this.open(bucket)
    if (known && known.savedUsed === undefined && (known.run === undefined || known.run === run)) {
      Object.assign(known, { run, used, endsAt, toldAt: this.#clock.elapsed() })
      this.#counted(known, amount)
      return known
    }
    const window = this.#begin({ bucket, windowMs }, group, run, endsAt)
    Object.assign(window, { used, toldAt: this.#clock.elapsed() })
    this.#counted(window, amount)
    const carried = this.#carried.get(bucket)
    this.#carried.delete(bucket)
    if (carried && carried.endsAt > this.#clock.elapsed()) this.add(window, carried.unsaved)
    if (known && known.endsAt > this.#clock.elapsed() + earlyMs && known.counted > 0) {
      window.isAgain = true
      const missing = isSaved && known.savedUsed === undefined ? Math.max(0, known.used - used + amount) : known.counted
      const again = Math.min(known.counted, missing)
      this.add(window, again)
      // The one before it saves this part.
      window.unsaved -= again
    }
    return window
  }

  /** The window that is open, or one that begins now. */
  current(window: Pick<TokenWindow, 'bucket' | 'windowMs'>, group: string): OwnWindow {
    return this.open(window.bucket) ?? this.#begin(window, group, undefined, this.#clock.elapsed() + window.windowMs)
  }

  /** Goes on from what was saved, because the service cannot be asked. */
  resume({ bucket, windowMs }: TokenWindow, group: string, { used, endsInMs }: SavedWindow): void {
    const window = this.#begin({ bucket, windowMs }, group, undefined, this.#clock.elapsed() + endsInMs, used)
    window.used = used
  }

  /** Counts here at once, and at the service a little later. Negative to give back. */
  add(window: OwnWindow, amount: number): void {
    if (amount === 0) return
    window.used = Math.max(0, window.used + amount)
    this.#counted(window, amount)
    const { group, bucket, windowMs, run, savedUsed } = window
    if (savedUsed === undefined) this.#change({ group, bucket, windowMs, run, endsInMs: this.endsInMs(window), amount })
  }

  /** The service has lost its counts: adds this process's part of each window. Those that were saved are read again instead. */
  lost(isSaved: (window: OwnWindow) => boolean): void {
    for (const [bucket, window] of this.#windows) {
      if (!this.isOpen(window)) this.#windows.delete(bucket)
      else if (window.isAgain) window.isAgain = false
      else if (isSaved(window)) {
        this.#windows.delete(bucket)
        if (window.unsaved > 0) this.#carried.set(bucket, window)
      } else {
        const { counted } = window
        Object.assign(window, { run: undefined, counted: 0, used: 0 })
        this.add(window, counted)
      }
    }
  }

  #counted(window: OwnWindow, amount: number): void {
    window.counted = Math.max(0, window.counted + amount)
    window.unsaved += amount
    this.#changed(window)
  }

  #begin(
    { bucket, windowMs }: Pick<TokenWindow, 'bucket' | 'windowMs'>,
    group: string,
    run: string | undefined,
    endsAt: number,
    savedUsed?: number,
  ): OwnWindow {
    this.#prune()
    const window = {
      group,
      bucket,
      windowMs,
      run,
      endsAt,
      counted: 0,
      used: 0,
      unsaved: 0,
      elsewhere: 0,
      toldAt: -Infinity,
      savedUsed,
      isAgain: false,
    }
    this.#windows.set(bucket, window)
    return window
  }

  #prune(): void {
    if (this.#windows.size < this.#pruneFrom) return
    const now = this.#clock.elapsed()
    for (const windows of [this.#windows, this.#carried])
      for (const [bucket, { endsAt }] of windows) if (endsAt <= now) windows.delete(bucket)
    this.#pruneFrom = Math.max(pruneFrom, this.#windows.size * 2)
  }
}
