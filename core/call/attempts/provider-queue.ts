import type { Cancellation } from '../../runtime/cancellation.ts'
import type { Clock } from '../../foundation/clock.ts'
import { FairQueue } from '../../runtime/fair-queue.ts'

/** The right to send one request to a provider. */
export interface Slot {
  /** Only the first call counts. */
  release(): void
}

interface Waiting {
  readonly owner: string
  start(): void
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
  readonly #jobs = new FairQueue<Waiting>()
  #running = 0
  #waiting = 0
  /** Of the requests that ended. */
  #meanMs = 0

  constructor(clock: Clock, maxConcurrent: number, maxQueued: number) {
    this.#clock = clock
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
    return this.#running >= this.maxConcurrent
  }

  /** A slot, or the wait for one. Undefined if too many wait already. Rejects with the reason if `run` is aborted while it waits. */
  enter(owner: string, run: Cancellation): Promise<Slot> | Slot | undefined {
    if (!this.isBusy) return this.#start(owner)
    if (this.#waiting >= this.maxQueued) return undefined
    return this.#wait(owner, run)
  }

  /** When a place is likely to be free, in milliseconds. */
  get retryAfterMs(): number {
    const likelyMs = (this.#meanMs * (this.#waiting + 1)) / this.maxConcurrent
    return Math.min(Math.max(shortestRetryMs, Math.ceil(likelyMs)), maxRetryMs)
  }

  #start(owner: string): Slot {
    this.#jobs.add(owner, { owner, start() {} })
    this.#jobs.next()
    this.#running++
    return this.#slot(owner)
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
        start: () => {
          run.offAbort(leave)
          resolve(this.#slot(owner))
        },
      }
      this.#waiting++
      this.#jobs.add(owner, job)
      run.onAbort(leave)
    })
  }

  #slot(owner: string): Slot {
    const startedAt = this.#clock.elapsed()
    let isHeld = true
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        const tookMs = this.#clock.elapsed() - startedAt
        this.#meanMs += (tookMs - this.#meanMs) * (this.#meanMs === 0 ? 1 : weight)
        this.#jobs.done(owner)
        this.#running--
        this.#next()
      },
    }
  }

  #next(): void {
    const job = this.#waiting > 0 ? this.#jobs.next() : undefined
    if (!job) return
    this.#waiting--
    this.#running++
    job.start()
  }
}
