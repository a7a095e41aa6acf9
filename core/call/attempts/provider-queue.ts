import type { Cancellation } from '../../runtime/cancellation.ts'
import type { Clock } from '../../foundation/clock.ts'
import { FairQueue } from '../../runtime/fair-queue.ts'
import { isPending, type Maybe } from '../../runtime/pending.ts'
import { OwnProviderPlaces, type ProviderPlaces } from './provider-places.ts'

/** The right to send one request to a provider. */
export interface Slot {
  /** Only the first call counts. */
  release(): void
}

interface Waiting {
  readonly owner: string
  /** `leave` gives its place back. */
  start(leave: () => void): void
}

const shortestRetryMs = 1_000
const maxRetryMs = 60_000
/** How much the latest request changes the mean duration. */
const weight = 0.2

/** Lets a limited number of requests at a provider run, and the next ones wait. Callers take turns. */
export class ProviderQueue {
  readonly #clock: Clock
  readonly maxConcurrent: number
  readonly maxQueued: number
  readonly #places: ProviderPlaces
  readonly #jobs = new FairQueue<Waiting>()
  #running = 0
  #waiting = 0
  #isAsking = false
  /** Of the requests that ended. */
  #meanMs = 0

  constructor(clock: Clock, maxConcurrent: number, maxQueued: number, places: ProviderPlaces = new OwnProviderPlaces(maxConcurrent)) {
    this.#clock = clock
    this.#places = places
    this.maxConcurrent = maxConcurrent
    this.maxQueued = maxQueued
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  /** True if a request would have to wait. */
  get isBusy(): boolean {
    return this.#waiting > 0 || this.#places.isFull
  }

  /**
   * A slot, or the wait for one. Undefined if too many wait already, or if it would have to wait and must not. Rejects with the reason if `run`
   * is aborted while it waits.
   */
  enter(owner: string, run: Cancellation, mayWait = true): Maybe<Slot | undefined> {
    if (this.isBusy) return mayWait ? this.#join(owner, run) : undefined
    const place = this.#places.take()
    return isPending(place) ? this.#entered(place, owner, run, mayWait) : this.#start(owner, place!)
  }

  /** When a place is likely to be free, in milliseconds. */
  get retryAfterMs(): number {
    const likelyMs = (this.#meanMs * (this.#waiting + 1)) / this.maxConcurrent
    return Math.min(Math.max(shortestRetryMs, Math.ceil(likelyMs)), maxRetryMs)
  }

  async #entered(place: Maybe<(() => void) | undefined>, owner: string, run: Cancellation, mayWait: boolean): Promise<Slot | undefined> {
    const leave = await place
    if (run.aborted) {
      leave?.()
      throw run.reason
    }
    if (!leave) return mayWait ? await this.#join(owner, run) : undefined
    if (this.#waiting === 0) return this.#start(owner, leave)
    // Others have begun to wait meanwhile. Who is next is as fair as ever.
    const slot = this.#wait(owner, run)
    this.#passOn(leave)
    return await slot
  }

  #start(owner: string, leave: () => void): Slot {
    this.#jobs.add(owner, { owner, start() {} })
    this.#jobs.next()
    this.#running++
    return this.#slot(owner, leave)
  }

  #join(owner: string, run: Cancellation): Promise<Slot> | undefined {
    return this.#waiting < this.maxQueued ? this.#wait(owner, run) : undefined
  }

  #wait(owner: string, run: Cancellation): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        this.#waiting--
        this.#jobs.remove(owner, job)
        reject(reason)
      }
      const job: Waiting = {
        owner,
        start: place => {
          run.offAbort(leave)
          resolve(this.#slot(owner, place))
        },
      }
      this.#waiting++
      this.#jobs.add(owner, job)
      run.onAbort(leave)
      this.#ask()
    })
  }

  #slot(owner: string, leave: () => void): Slot {
    const startedAt = this.#clock.elapsed()
    let isHeld = true
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        const tookMs = this.#clock.elapsed() - startedAt
        this.#meanMs += (tookMs - this.#meanMs) * (this.#meanMs === 0 ? 1 : weight)
        this.#jobs.done(owner)
        const running = this.#running--
        if (this.#waiting > 0 && this.#places.mayPassOn(running)) return this.#passOn(leave)
        leave()
        this.#ask()
      },
    }
  }

  #passOn(leave: () => void): void {
    const job = this.#waiting > 0 ? this.#jobs.next() : undefined
    if (!job) return leave()
    this.#waiting--
    this.#running++
    job.start(leave)
  }

  /** Asks for places that others free, as long as requests wait. */
  #ask(): void {
    if (this.#isAsking || this.#waiting === 0 || !this.#places.again) return
    this.#isAsking = true
    void this.#asking().finally(() => (this.#isAsking = false))
  }

  async #asking(): Promise<void> {
    for (let tries = 0; this.#waiting > 0; tries++) {
      await this.#places.again!(tries)
      for (let leave: (() => void) | undefined; this.#waiting > 0 && (leave = await this.#places.take()); tries = 0) this.#passOn(leave)
    }
  }
}
