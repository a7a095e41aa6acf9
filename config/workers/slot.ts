import type { WorkerProcess } from './worker-process.ts'

/** A worker that lived this long has started well. */
const longLifeMs = 60_000
const firstPauseMs = 500
const maxPauseMs = 30_000

/** The place of one worker, and when the next one may start there. */
export class Slot {
  readonly number: number
  /** The one that accepts connections. */
  worker: WorkerProcess | undefined
  /** Resolves when no worker is being started here. */
  filling: Promise<string | undefined> = Promise.resolve(undefined)
  /** Until the next one starts. */
  timer: NodeJS.Timeout | undefined
  #shortLives = 0

  constructor(number: number) {
    this.number = number
  }

  /** How long to wait before the next one starts, now that one has ended or failed to start. The first time, it starts at once. */
  pauseAfter({ startedMs }: WorkerProcess): number {
    if (performance.now() - startedMs >= longLifeMs) this.#shortLives = 0
    return this.#shortLives++ === 0 ? 0 : Math.min(firstPauseMs * 2 ** (this.#shortLives - 2), maxPauseMs)
  }
}
