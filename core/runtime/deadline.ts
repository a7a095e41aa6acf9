import type { Clock } from '../foundation/clock.ts'
import { Roster, type Listed } from './roster.ts'

/** Shorter deadlines get a timer each. */
const coarseFromMs = 5_000
const visitMs = 250

/**
 * Calls `late` once, unless it is ended before. Deadlines of seconds hardly ever pass, so one timer visits them all, which is up to a
 * quarter of a second late: a timer for each would cost more than everything else that an attempt does about time
 * (`bench/runtime.ts`).
 */
export class Deadline implements Listed {
  place = -1
  readonly #clock: Clock
  readonly #afterMs: number
  readonly #late: () => void
  readonly #timer: NodeJS.Timeout | undefined
  #dueMs = 0

  constructor(clock: Clock, afterMs: number, late: () => void) {
    this.#clock = clock
    this.#afterMs = afterMs
    this.#late = late
    if (afterMs < coarseFromMs) {
      this.#timer = setTimeout(late, afterMs)
      return
    }
    this.#dueMs = clock.elapsed() + afterMs
    coarse.add(this)
    visits ??= setInterval(visit, visitMs).unref()
  }

  /** Starts again from now. Call it only before the deadline has passed or ended. */
  restart(): void {
    if (this.#timer) this.#timer.refresh()
    else this.#dueMs = this.#clock.elapsed() + this.#afterMs
  }

  end(): void {
    if (this.#timer) clearTimeout(this.#timer)
    else coarse.remove(this)
  }

  /** Called by the timer of all. */
  visit(): void {
    if (this.#clock.elapsed() < this.#dueMs) return
    coarse.remove(this)
    this.#late()
  }
}

const coarse = new Roster<Deadline>()
let visits: NodeJS.Timeout | undefined

function visit(): void {
  if (coarse.size === 0) {
    clearInterval(visits)
    visits = undefined
    return
  }
  for (const deadline of coarse.all()) deadline.visit()
}
