import type { SavedWindow, SavedWindows } from '../contracts/saved-windows.ts'
import type { TokenWindow } from '../contracts/rate-limiter.ts'
import type { Clock } from '../foundation/clock.ts'
import { describeError, type Logger } from '../foundation/logger.ts'
import { RepeatedError } from '../foundation/repeated-error.ts'
import type { OwnWindow } from './own-windows.ts'

const longMs = 60 * 60 * 1000
const saveAfterMs = 1_000
/** A count that the service told longer ago is too old to compare with the saved one. */
const freshMs = 2 * saveAfterMs

export interface LongWindowParts {
  readonly saved: SavedWindows
  readonly clock: Clock
  readonly log: Logger
  /** True if the service counts for one machine, and others may use the same store. */
  readonly isOfOneMachine: boolean
}

/** Keeps windows of an hour or more in a store, so that they survive a restart of the service where processes count together. */
export class LongWindows {
  readonly #parts: LongWindowParts
  readonly #failed: RepeatedError
  readonly #changed = new Set<OwnWindow>()
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(parts: LongWindowParts) {
    this.#parts = parts
    this.#failed = new RepeatedError(parts.log, 'could not read or save rate limit windows of an hour or more')
  }

  keeps({ windowMs }: Pick<TokenWindow, 'windowMs'>): boolean {
    return windowMs >= longMs
  }

  /** Empty while the store is down: the windows then begin anew, if the service does not know them. */
  async read(buckets: readonly string[]): Promise<readonly SavedWindow[]> {
    try {
      return await this.#parts.saved.read(buckets)
    } catch (error) {
      this.#failed.report(describeError(error))
      return []
    }
  }

  changed(window: OwnWindow): void {
    if (!this.keeps(window)) return
    this.#changed.add(window)
    this.#timer ??= setTimeout(() => void this.save(), saveAfterMs).unref()
  }

  /** One save after another, so that an earlier one never comes last. */
  save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return (this.#saving = this.#saving.then(() => this.#save()))
  }

  async #save(): Promise<void> {
    const { saved, clock } = this.#parts
    const now = clock.elapsed()
    const windows = [...this.#changed].filter(({ endsAt, unsaved }) => endsAt > now && unsaved !== 0)
    this.#changed.clear()
    if (windows.length === 0) return
    const changes = windows.map(({ bucket, unsaved, endsAt }) => ({ bucket, used: unsaved, endsInMs: endsAt - now }))
    for (const window of windows) window.unsaved = 0
    try {
      const known = new Map((await saved.add(changes)).map(({ bucket, used }) => [bucket, used]))
      for (const [index, window] of windows.entries()) {
        const saved = known.get(window.bucket)
        if (saved === undefined) window.unsaved += changes[index]!.used
        else this.#compare(window, saved)
      }
    } catch (error) {
      for (const [index, window] of windows.entries()) window.unsaved += changes[index]!.used
      this.#failed.report(describeError(error))
      this.#again(windows)
    }
  }

  /** The store knows what other machines have counted, too. */
  #compare(window: OwnWindow, saved: number): void {
    const { clock, isOfOneMachine } = this.#parts
    if (!isOfOneMachine || clock.elapsed() - window.toldAt > freshMs) return
    window.elsewhere = Math.max(0, saved + window.unsaved - window.used)
  }

  #again(windows: readonly OwnWindow[]): void {
    for (const window of windows) this.changed(window)
  }
}
