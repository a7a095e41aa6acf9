import type { FinishReason } from '../contracts/events.ts'
import type { GenerationSink } from '../contracts/route.ts'
import { Cancellation } from '../runtime/cancellation.ts'
import type { ModelCall } from './model-call.ts'
import type { Heard, ModelReply } from './model-reply.ts'
import type { Said } from './said.ts'

export interface ChoicesScope {
  readonly call: ModelCall
  /** Aborts all of them. */
  readonly cancellation: Cancellation
  /** The output of all choices so far. */
  readonly said: Said
}

/**
 * The choices of an answer whose endpoint gives one at a time. Once the first has begun, all others are asked at the same time; their events
 * wait until it is their turn. If one fails, all fail.
 */
export class Choices {
  readonly #others: readonly OtherChoice[]
  /** Aborts the others, with the reason for which the answer ends. */
  readonly #run = new Cancellation()
  readonly #parent: Cancellation
  #turn = 0
  #isOver = false
  #current: ModelReply
  readonly #onAbort = (reason: unknown): void => this.#stop(reason)

  constructor(first: ModelReply, count: number, { call, cancellation, said }: ChoicesScope) {
    this.#current = first
    this.#parent = cancellation
    this.#others = Array.from({ length: count - 1 }, (_, index) => {
      const since = new SaidInTurn(said)
      return new OtherChoice(since, call.askAgain(first, index + 1, since, this.#run))
    })
    for (const { opening } of this.#others) opening.catch((error: unknown) => this.#stop(error))
    cancellation.onAbort(this.#onAbort)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get isLast(): boolean {
    return this.#turn === this.#others.length
  }

  /** Relays the choice whose turn it is. Throws the caller's error for the first failure of any. */
  async relay(heard: Heard, sink: GenerationSink): Promise<void> {
    const reply = this.#current
    try {
      await reply.relay(heard, sink)
    } catch (error) {
      throw this.#run.aborted ? this.#run.reason : reply.fail(error)
    }
    this.#checkGoesOn()
  }

  /** Waits for the next choice. */
  async next(): Promise<ModelReply> {
    const other = this.#others[this.#turn++]!
    const reply = await other.opening
    this.#checkGoesOn()
    this.#current = reply
    other.begin(reply)
    return reply
  }

  /** Call when all choices are over. */
  end(): void {
    this.#isOver = true
    this.#parent.offAbort(this.#onAbort)
  }

  /** Ends those that are under way. The output so far is billed. */
  async leave(): Promise<void> {
    this.end()
    this.#stop(new Error('the answer has ended'))
    await this.#current.leave()
    for (const other of this.#others) {
      const reply = await other.opening.catch(() => undefined)
      // It may have begun in the last moment.
      other.drain()
      await reply?.leave()
    }
  }

  #checkGoesOn(): void {
    if (this.#run.aborted) throw this.#run.reason
  }

  #stop(reason: unknown): void {
    if (this.#run.aborted) return
    for (const other of this.#others) other.drain()
    this.#run.abort(reason)
    if (!this.#current.isBilled) this.#current.attempt.end('left', this.#current.usage)
  }
}

/** A choice that is not the first. */
class OtherChoice {
  readonly opening: Promise<ModelReply>
  readonly #said: SaidInTurn
  /** While it waits for its turn. */
  #waiting: ModelReply | undefined

  constructor(said: SaidInTurn, opening: Promise<ModelReply>) {
    this.#said = said
    this.opening = opening.then(reply => this.#wait(reply))
  }

  begin(reply: ModelReply): void {
    this.#waiting = undefined
    this.#said.begin()
    reply.attempt.resume()
  }

  /** Nobody will hear it. Takes what has arrived, which is billed. */
  drain(): void {
    try {
      this.#waiting?.drain(text => this.#said.hear(text))
    } catch {
      // The answer was ended because it is too large, or this choice has failed.
    }
  }

  /** Nobody reads it until then, which is not the provider's time. */
  #wait(reply: ModelReply): ModelReply {
    this.#waiting = reply
    reply.collect()
    reply.attempt.pause()
    return reply
  }
}

/** The output of one choice, which is that of the answer from its turn on. */
class SaidInTurn implements Said {
  readonly #answer: Said
  #from: number | undefined
  /** Texts that are not part of the answer. */
  readonly #unheard: string[] = []

  constructor(answer: Said) {
    this.#answer = answer
  }

  begin(): void {
    this.#from = this.#answer.characters
  }

  hear(text: string): void {
    this.#unheard.push(text)
  }

  get characters(): number {
    if (this.#from !== undefined) return this.#answer.characters - this.#from
    return this.#unheard.reduce((sum, { length }) => sum + length, 0)
  }

  textsAfter(characters: number): readonly string[] {
    if (this.#from !== undefined) return this.#answer.textsAfter(this.#from + characters)
    const text = this.#unheard.join('').slice(characters)
    return text === '' ? [] : [text]
  }
}

/** Why a choice ended: one that pauses is not continued. */
export function endOf(finish: FinishReason): FinishReason {
  return finish === 'pause' ? 'stop' : finish
}
