import { GatewayError, type Clock } from '../../../core/index.ts'

const maxTests = 6
const windowMs = 60_000

/** Keeps tests of a target from flooding it: this process sends few of them in a minute. */
export class TestRoom {
  readonly #clock: Clock
  /** When the last tests of each target began, on `Clock.elapsed`. */
  readonly #begun = new Map<string, readonly number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws a 429 if there were too many. */
  enter(target: string): void {
    const now = this.#clock.elapsed()
    for (const [other, times] of this.#begun) if (times.at(-1)! <= now - windowMs) this.#begun.delete(other)
    const recent = (this.#begun.get(target) ?? []).filter(time => time > now - windowMs)
    if (recent.length >= maxTests)
      throw new GatewayError({
        status: 429,
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: `This target was tested ${maxTests} times within a minute. Wait a minute.`,
        retryAfterMs: recent[0]! + windowMs - now,
      })
    this.#begun.set(target, [...recent, now])
  }
}
