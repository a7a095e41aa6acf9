import { setTimeout as delay } from 'node:timers/promises'
import type { BackgroundAddress, BackgroundEnd, BackgroundStore, EventBatch } from '../../../../core/stores.ts'
import { EventLog } from './event-log.ts'

/** Events wait so long for others to be stored together with them. */
const gatherMs = 100
/** Or until there are so many characters. */
const gatherCharacters = 64 * 1024
const retryAfterMs = 500
/** The end of a response is tried so long. Then its lease ends, and it counts as failed. */
const endWithinMs = 30_000

export interface LogWriterOptions extends BackgroundAddress {
  readonly store: BackgroundStore
  readonly maxCharacters: number
  /** The events are too many. */
  overflow(): void
  /** The store says that the response should not run on. */
  unwanted(): void
  /** The store failed, and is tried again. */
  failed(error: unknown): void
}

/** Stores the events of one response, batch by batch, and its end together with the last of them. */
export class LogWriter {
  readonly log: EventLog
  readonly #options: LogWriterOptions
  #isOpen = false
  #isWriting = false
  #begun: EventBatch['begun']
  #end: Omit<BackgroundEnd, 'batch'> | undefined
  #hurry: (() => void) | undefined
  #changed: PromiseWithResolvers<void> | undefined
  readonly #over = Promise.withResolvers<void>()
  /** True if the end is stored, or was given up. */
  isOver = false

  constructor(options: LogWriterOptions) {
    this.#options = options
    this.log = new EventLog(options.maxCharacters, options.overflow, () => this.#wake())
  }

  /** Resolves when the end is stored, or was given up. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  /** Resolves when more events are stored, or the end is. */
  get changed(): Promise<void> {
    return (this.#changed ??= Promise.withResolvers()).promise
  }

  /** The store has the response. */
  open(): void {
    this.#isOpen = true
  }

  /** The object of the response that has begun. */
  begun(body: NonNullable<EventBatch['begun']>): void {
    this.#begun = body
  }

  /** Stores what is left, and the end. */
  finish(end: Omit<BackgroundEnd, 'batch'>): Promise<void> {
    this.#end = end
    this.#wake()
    return this.over
  }

  #wake(): void {
    if (!this.#isOpen) return
    if (this.#end || this.log.waiting >= gatherCharacters) this.#hurry?.()
    if (!this.#isWriting) void this.#write()
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Whoever wrote may have more to say in this turn.
    await undefined
    while (!this.log.isEmpty || this.#end) {
      const isStored = await this.#store(this.#taken())
      this.isOver = isStored === 'over'
      this.#notify()
      if (this.isOver) return this.#over.resolve()
      await this.#gather()
    }
    this.#isWriting = false
  }

  /** A frame that cannot be encoded ends the log: the response then counts as failed. */
  #taken(): EventBatch | undefined {
    try {
      return this.log.take()
    } catch (error) {
      this.#options.failed(error)
      this.log.close()
      return undefined
    }
  }

  async #store(batch: EventBatch | undefined): Promise<'over' | undefined> {
    const { store, owner, id } = this.#options
    if (!batch) return 'over'
    for (let tries = 0; ; tries++) {
      const end = this.log.isEmpty ? this.#end : undefined
      try {
        if (end) await store.finish(owner, id, { ...end, batch })
        else {
          const begun = this.#begun
          const isWanted = await store.append(owner, id, begun ? { ...batch, begun } : batch)
          if (begun === this.#begun) this.#begun = undefined
          if (!isWanted) this.#options.unwanted()
        }
        this.log.stored(batch)
        return end && 'over'
      } catch (error) {
        this.#options.failed(error)
        if (this.#end && tries * retryAfterMs >= endWithinMs) return 'over'
        await delay(retryAfterMs, undefined, { ref: false })
      }
    }
  }

  async #gather(): Promise<void> {
    if (this.#end || this.log.waiting >= gatherCharacters) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, gatherMs)
    this.#hurry = resolve
    await promise
    clearTimeout(timer)
    this.#hurry = undefined
  }

  #notify(): void {
    this.#changed?.resolve()
    this.#changed = undefined
  }
}
