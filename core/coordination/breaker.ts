import type { Clock } from '../foundation/clock.ts'

/** How long anything waits for an answer. */
export const answerMs = 50
const mostLooks = 5
const steadyMs = 10_000
const mostProbes = 8

/** Decides whether to ask the service where processes count together. One failure, or one late answer, opens the breaker. */
export class Breaker {
  readonly #clock: Clock
  readonly #opened: (cause: unknown) => void
  /** Ends the waits of those that wait now. */
  readonly #waiting = new Set<() => void>()
  #isClosed = false
  /** Questions of before it opened say nothing of now. */
  #openings = 0
  #closedAt = 0
  /** Probes in a row that close it. More if it opened again soon. */
  #needed = 1
  #good = 0

  constructor(clock: Clock, opened: (cause: unknown) => void) {
    this.#clock = clock
    this.#opened = opened
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** For signs of life, which tell whether the service works again. True if this one closes the breaker. */
  answered(isInTime: boolean): boolean {
    this.#good = isInTime ? this.#good + 1 : 0
    if (this.#isClosed || this.#good < this.#needed) return false
    this.#isClosed = true
    this.#closedAt = this.#clock.elapsed()
    return true
  }

  /** Call when a question begins. The returned function is for its failure. */
  asks(): (cause: unknown) => void {
    const openings = this.#openings
    return cause => {
      if (openings === this.#openings) this.#failed(cause)
    }
  }

  #failed(cause: unknown): void {
    this.#good = 0
    if (!this.#isClosed) return
    this.#isClosed = false
    this.#openings++
    const wasSteady = this.#clock.elapsed() - this.#closedAt >= steadyMs
    this.#needed = wasSteady ? 1 : Math.min(mostProbes, this.#needed * 2)
    this.#giveUp()
    this.#opened(cause)
  }

  /** Opens it for good, without a word. */
  stop(): void {
    this.#isClosed = false
    this.#needed = Infinity
    this.#giveUp()
  }

  /** Watches a question. It opens the breaker if it is late, or rejects. */
  watch(answer: Promise<unknown>): void {
    const failed = this.asks()
    const stop = afterAnswers(() => failed(new LateAnswer()))
    answer.then(stop, cause => {
      stop()
      failed(cause)
    })
  }

  /** The answer, or undefined as soon as the breaker opens. `late` gets how the question ended then. */
  within<T>(answer: Promise<T>, late: (outcome: T | undefined) => void): Promise<T | undefined> {
    this.watch(answer)
    return new Promise(resolve => {
      const giveUp = (): void => {
        this.#waiting.delete(giveUp)
        resolve(undefined)
        answer.then(late, () => late(undefined))
      }
      this.#waiting.add(giveUp)
      answer.then(
        value => {
          if (this.#waiting.delete(giveUp)) resolve(value)
        },
        // `watch` has opened the breaker.
        () => {},
      )
    })
  }

  #giveUp(): void {
    for (const giveUp of this.#waiting) giveUp()
  }
}

export class LateAnswer extends Error {
  constructor() {
    super(`no answer within ${answerMs} ms`)
  }
}

/**
 * Calls back after the time for an answer. A process that is busy itself reads answers late: so it looks for one several times, with a pause
 * in between, and after the last time reads what is there. Time in which it looks at nothing does not count.
 */
export function afterAnswers(callback: () => void): () => void {
  let looks = 0
  let unread: NodeJS.Immediate | undefined
  let timer = setTimeout(look, answerMs / mostLooks)
  function look(): void {
    if (++looks < mostLooks) timer = setTimeout(look, answerMs / mostLooks)
    else unread = setImmediate(callback)
  }
  return () => {
    clearTimeout(timer)
    clearImmediate(unread)
  }
}
