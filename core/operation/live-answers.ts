import { wire } from '../framework/container.ts'
import { GatewayError } from '../foundation/errors.ts'
import { Roster } from '../foundation/roster.ts'
import { Settings } from '../framework/settings.ts'
import { LiveAnswer } from './live-answer.ts'

/**
 * Tracks the memory of all answers in progress. Above `maxLiveAnswerBytes`, the largest answers are ended first, so that one endless answer
 * does not cost others their small ones.
 */
export class LiveAnswers {
  readonly #settings: Settings
  readonly #live = new Roster<LiveAnswer>()
  #bytes = 0

  static {
    wire(this, [Settings])
  }

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Calls `end` at most once, with the reason, when the answer is ended to free memory. The caller must close the answer. */
  open(end: (reason: GatewayError) => void): LiveAnswer {
    const answer = new LiveAnswer(this.#settings, end, this)
    this.#live.add(answer)
    return answer
  }

  /** An open answer calls this when its size changes by `by` bytes. */
  grew(by: number): void {
    this.#bytes += by
    const { maxLiveAnswerBytes } = this.#settings
    while (this.#bytes > maxLiveAnswerBytes) this.#largest().end(tooManyBytes(maxLiveAnswerBytes))
  }

  /** An answer calls this when it is closed. */
  left(answer: LiveAnswer): void {
    this.#live.remove(answer)
    this.#bytes -= answer.bytes
  }

  #largest(): LiveAnswer {
    return this.#live.all().reduce((largest, each) => (each.bytes > largest.bytes ? each : largest))
  }
}

function tooManyBytes(maximum: number): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: `The gateway ended this answer because all answers in progress together need more than ${maximum} bytes (server.maxLiveAnswerBytes), and this was the largest. Ask for a shorter answer, or try again later.`,
  })
}
