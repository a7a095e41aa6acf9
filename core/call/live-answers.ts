import { wire } from '../framework/container.ts'
import { GatewayError } from '../foundation/errors.ts'
import { Roster } from '../runtime/roster.ts'
import { Settings } from '../framework/settings.ts'
import { LiveAnswer } from './live-answer.ts'

/**
 * Tracks the memory of all answers in progress, until their clients got them. Above `maxLiveAnswerBytes`, the owner whose answers take the
 * most loses its largest one, so that neither one endless answer nor many large ones cost other owners theirs.
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
  open(owner: string, end: (reason: GatewayError) => void): LiveAnswer {
    const answer = new LiveAnswer(owner, this.#settings, end, this)
    this.#live.add(answer)
    return answer
  }

  /** An open answer calls this when its size changes by `by` bytes. */
  grew(by: number): void {
    this.#bytes += by
    const { maxLiveAnswerBytes } = this.#settings
    while (this.#bytes > maxLiveAnswerBytes) this.#next().end(tooManyBytes(maxLiveAnswerBytes))
  }

  /** An answer calls this when it is closed. */
  left(answer: LiveAnswer): void {
    this.#live.remove(answer)
    this.#bytes -= answer.bytes
  }

  #next(): LiveAnswer {
    const all = this.#live.all()
    const owner = largestOwner(all)
    return all.filter(each => each.owner === owner).reduce((first, each) => (endsBefore(each, first) ? each : first))
  }
}

/** The owner whose answers take the most together. */
function largestOwner(answers: readonly LiveAnswer[]): string {
  const bytes = new Map<string, number>()
  for (const answer of answers) bytes.set(answer.owner, (bytes.get(answer.owner) ?? 0) + answer.bytes)
  return [...bytes].reduce((largest, each) => (each[1] > largest[1] ? each : largest))[0]
}

/** Complete answers come last. */
function endsBefore(one: LiveAnswer, other: LiveAnswer): boolean {
  return one.isComplete === other.isComplete ? one.bytes > other.bytes : other.isComplete
}

function tooManyBytes(maximum: number): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: `The gateway ended this answer because all answers in progress together need more than ${maximum} bytes (server.maxLiveAnswerBytes), and this was the largest of the caller that takes the most. Ask for a shorter answer, or try again later.`,
  })
}
