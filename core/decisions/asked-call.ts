import { Bill } from '../billing/cost.ts'
import type { Reservation } from '../limits/reservation.ts'
import type { Payer } from '../generation/payer.ts'
import type { ModelReply } from '../generation/model-reply.ts'
import type { LiveAnswer } from '../call/live-answer.ts'
import type { Operation } from '../call/operation.ts'

/** One call of a model for a decision. Its cost is settled when it ends, so that the rest of its hold is free for the next call. */
export class AskedCall implements Payer {
  readonly bill = new Bill()
  readonly #operation: Operation
  readonly #answer: LiveAnswer
  #reservation: Reservation | undefined
  #opening: Promise<ModelReply> | undefined
  #ending: Promise<void> | undefined

  constructor(operation: Operation, answer: LiveAnswer) {
    this.#operation = operation
    this.#answer = answer
  }

  hold(reservation: Reservation): void {
    this.#reservation = reservation
    this.#operation.watch(reservation)
    // It came too late.
    if (this.#ending) void this.#settle()
  }

  owe<T>(adding: Promise<T>): Promise<T> {
    return adding
  }

  /** Waits for the first event of the reply. */
  opens(opening: Promise<ModelReply>): Promise<ModelReply> {
    this.#opening = opening
    return opening
  }

  /**
   * Bills the output so far, and settles it. Waits for a reply that is about to begin, so abort it first. Does nothing more the second
   * time.
   */
  end(): Promise<void> {
    return (this.#ending ??= this.#end())
  }

  async #end(): Promise<void> {
    try {
      const reply = await this.#opening?.catch(() => undefined)
      // The client may have stopped reading early.
      reply?.attempt.end('left', reply.usage)
      if (reply && (reply.hasCost || reply.finish)) await reply.bill()
    } finally {
      this.#operation.addCall(this.bill)
      this.#answer.close()
      await this.#settle()
    }
  }

  async #settle(): Promise<void> {
    const reservation = this.#reservation
    this.#reservation = undefined
    if (reservation) await this.#operation.pay(reservation, this.bill)
  }
}
