import { wire } from '../framework/container.ts'
import { GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { Roster } from '../runtime/roster.ts'
import { Settings } from '../framework/settings.ts'
import type { HeldMemory } from '../contracts/held-memory.ts'
import { HeldMemories } from './held-memories.ts'
import { largestOwner } from './largest-owner.ts'
import { LiveAnswer } from './live-answer.ts'

/**
 * Tracks the memory of all answers in progress, until their clients got them. Above `maxLiveAnswerBytes`, the owner whose answers take the
 * most loses its largest one, so that neither one endless answer nor many large ones cost other owners theirs. What surfaces hold between
 * requests counts, too, and goes first.
 */
export class LiveAnswers {
  readonly #settings: Settings
  readonly #live = new Roster<LiveAnswer>()
  readonly #held = new HeldMemories(by => this.grew(by))
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

  /** Memory between requests. Calls `evict` when it is let go to free memory, at most once for each time that it grew. */
  hold(owner: string, evict: () => void): HeldMemory {
    return this.#held.open(owner, evict)
  }

  /** An open answer calls this when its size changes by `by` bytes. */
  grew(by: number): void {
    this.#bytes += by
    const { maxLiveAnswerBytes } = this.#settings
    while (this.#bytes > maxLiveAnswerBytes) if (!this.#held.evictOne()) this.#next().end(tooManyBytes(maxLiveAnswerBytes))
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

/** Complete answers come last. */
function endsBefore(one: LiveAnswer, other: LiveAnswer): boolean {
  return one.isComplete === other.isComplete ? one.bytes > other.bytes : other.isComplete
}

function tooManyBytes(maximum: number): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway ended this answer because all answers in progress together need more than ${own(maximum)} bytes (server.maxLiveAnswerBytes), and this was the largest of the caller that takes the most. Ask for a shorter answer, or try again later.`,
    reason: { kind: 'overload' },
  })
}
