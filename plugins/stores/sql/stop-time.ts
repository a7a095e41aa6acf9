import pTimeout from 'p-timeout'
import type { Logger } from '../../../core/index.ts'

/** For all steps together. Longer, a stop does not wait for a database that is down or locked. */
const stopWaitMs = 5_000
/** For each step, even if the others took all the time. */
const leastMs = 500

/** Gives up a step of a stop that takes too long, because a hook that does so makes the gateway end with an error. */
export class StopTime {
  readonly #log: Logger
  #endsAt: number | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** `step`: its name in the log. */
  async within(step: string, work: () => unknown): Promise<void> {
    const now = performance.now()
    this.#endsAt ??= now + stopWaitMs
    const fallback = (): void =>
      this.#log.warn('the database does not answer, so the gateway stops without this step; make sure that nothing locks the database', {
        step,
      })
    await pTimeout(Promise.resolve(work()), { milliseconds: Math.max(leastMs, this.#endsAt - now), fallback })
  }
}
