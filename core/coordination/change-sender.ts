import type { PlaceChange, WindowChange } from '../contracts/coordination.ts'
import type { Clock } from '../foundation/clock.ts'
import { PendingChanges, type ChangeBatch } from './pending-changes.ts'

/** How long changes of windows are collected. Places are given back at once. */
const collectMs = 50
const mostInBatch = 500
const mostFlights = 8
/** After this long without an answer, nobody knows whether a batch arrived. */
const flightMs = 10_000

/** Sends one batch. Undefined if nothing can be sent now. */
export type SendBatch = (batch: ChangeBatch) => Promise<void> | undefined

/** Collects changes, sends them in batches, and keeps them while they cannot be sent. */
export class ChangeSender {
  readonly #pending: PendingChanges
  readonly #send: SendBatch
  readonly #flights = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #isDue = false
  /** Rises when what was counted is lost. Earlier batches then mean nothing. */
  #era = 0

  constructor(clock: Clock, send: SendBatch) {
    this.#pending = new PendingChanges(clock)
    this.#send = send
  }

  addWindow(change: WindowChange): void {
    this.#pending.addWindow(change)
    this.#timer ??= setTimeout(() => this.#launch(), collectMs).unref()
  }

  /** All places of one turn are given back together. */
  addPlace(change: PlaceChange): void {
    this.#pending.addPlace(change)
    if (this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => this.#launch())
  }

  /** Call before a claim of these windows: sends the places of this turn, and what the windows have more than the service knows. */
  sendBefore(windows: readonly { readonly bucket: string }[]): void {
    if (this.#pending.hasPlaces || this.#pending.has(windows, 'more')) this.#launch()
  }

  /** Sends now if these windows have more room than the service knows. False if they do not. */
  sendRoom(windows: readonly { readonly bucket: string }[]): boolean {
    const hasRoom = this.#pending.has(windows, 'less')
    if (hasRoom) this.#launch()
    return hasRoom
  }

  forgetWindows(): void {
    this.#era++
    this.#pending.forgetWindows()
  }

  /** Sends what there is. Resolves when all of it has arrived, or cannot be sent now. */
  async flush(): Promise<void> {
    this.#launch()
    while (this.#flights.size > 0) {
      await Promise.race(this.#flights)
      this.#launch()
    }
  }

  #launch(): void {
    this.#isDue = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (!this.#pending.isEmpty && this.#flights.size < mostFlights) {
      const batch = this.#pending.take(mostInBatch)
      if (batch.windows.length + batch.places.length === 0) continue
      const answer = this.#send(batch)
      if (answer) this.#fly(batch, answer)
      else {
        this.#pending.restore(batch, 'unsent')
        return
      }
    }
  }

  #fly(batch: ChangeBatch, answer: Promise<void>): void {
    const era = this.#era
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#flights.add(promise)
    const end = (hasArrived: boolean): void => {
      clearTimeout(timer)
      if (!this.#flights.delete(promise)) return
      if (!hasArrived) this.#pending.restore(era === this.#era ? batch : { windows: [], places: batch.places }, 'unknown')
      else if (this.#pending.hasPlaces) this.#launch()
      resolve()
    }
    const timer = setTimeout(() => end(false), flightMs).unref()
    answer.then(
      () => end(true),
      () => end(false),
    )
  }
}
