import type { GenerationEvent } from '../contracts/events.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import type { Listed } from '../runtime/roster.ts'
import type { Settings } from '../framework/settings.ts'
import { itemBytes, sizeOf } from './answer-size.ts'
import type { LiveAnswers } from './live-answers.ts'

type Limits = Pick<Settings, 'maxAnswerBytes' | 'maxAnswerEvents'>

/** Counts the memory of a reply. */
export type ReplyMemory = Pick<LiveAnswer, 'keep' | 'restart' | 'count' | 'hold'>

/** Estimates the memory that one answer takes while it is generated: its events, and received bytes that have not become events yet. */
export class LiveAnswer implements Listed {
  place = -1
  readonly owner: string
  readonly #limits: Limits
  #end: (reason: GatewayError) => void
  #isComplete = false
  readonly #all: LiveAnswers
  #said = 0
  #held = 0
  /** As `#held`, of replies beside the first one. */
  #heldBeside = 0
  #events = 0
  /** The size of earlier rounds. A failed attempt gives everything beyond it back. */
  #kept = 0
  #keptEvents = 0
  /** The channel of the last event. A change of channel opens a new item. */
  #channel: string | undefined
  #isOpen = true
  #reason: GatewayError | undefined

  constructor(owner: string, limits: Limits, end: (reason: GatewayError) => void, all: LiveAnswers) {
    this.owner = owner
    this.#limits = limits
    this.#end = end
    this.#all = all
  }

  get bytes(): number {
    return this.#said + this.#held + this.#heldBeside
  }

  /** True while the answer is only stored or delivered, which frees its memory soon. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Call when no more events come. From then on, `end` is called instead of the function that opened the answer. */
  complete(end: (reason: GatewayError) => void): void {
    this.#isComplete = true
    this.#end = end
  }

  /** Keeps the events so far, even if later attempts fail. */
  keep(): void {
    this.#kept = this.#said
    this.#keptEvents = this.#events
  }

  /** Call when another attempt begins. Drops the events of a failed one. */
  restart(): void {
    const by = this.#kept - this.#said - this.#held
    this.#said = this.#kept
    this.#held = 0
    this.#events = this.#keptEvents
    this.#channel = undefined
    if (this.#isOpen && by !== 0) this.#all.grew(by)
  }

  /** Throws when the answer is too large or was ended to free memory. */
  count(event: GenerationEvent): void {
    this.#events++
    const by = sizeOf(event) + (this.#opensItem(event) ? itemBytes : 0)
    this.#said += by
    this.#check(by)
  }

  /** Sets the bytes of the reply that have not become events yet. Throws like `count`. */
  hold(bytes: number): void {
    if (bytes === this.#held) return
    const by = bytes - this.#held
    this.#held = bytes
    this.#check(by)
  }

  /** For another reply of the same answer that arrives at the same time. It has a single attempt. */
  beside(): ReplyMemory {
    let held = 0
    return {
      keep() {},
      restart() {},
      count: event => this.count(event),
      hold: bytes => {
        const by = bytes - held
        held = bytes
        if (by === 0) return
        this.#heldBeside += by
        this.#check(by)
      },
    }
  }

  /** Ends the answer to free memory for others. */
  end(reason: GatewayError): void {
    this.#reason = reason
    this.close()
    this.#end(reason)
  }

  /** Frees the answer's memory. Only the first call counts. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#all.left(this)
  }

  #check(by: number): void {
    const { maxAnswerBytes, maxAnswerEvents } = this.#limits
    if (this.#isOpen) this.#all.grew(by)
    if (this.#reason) throw this.#reason
    if (this.bytes > maxAnswerBytes) throw tooLarge(`${maxAnswerBytes} bytes (server.maxAnswerBytes)`)
    if (this.#events > maxAnswerEvents) throw tooLarge(`${maxAnswerEvents} events (server.maxAnswerEvents)`)
  }

  #opensItem(event: GenerationEvent): boolean {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return this.#turnsTo(event.type)
      case 'reasoning':
        return this.#turnsTo(event.form) || event.newPart === true
      case 'tool-call':
      case 'search':
      case 'item':
      case 'compaction':
      case 'reasoning-state':
        this.#channel = undefined
        return true
      case 'item-end':
      case 'choice':
        this.#channel = undefined
        return false
      default:
        return false
    }
  }

  #turnsTo(channel: string): boolean {
    const isAnother = this.#channel !== channel
    this.#channel = channel
    return isAnother
  }
}

function tooLarge(limit: string): ProviderFailure {
  return new ProviderFailure({ kind: 'protocol', message: wording`The provider sent an answer of more than ${own(limit)}.` })
}
