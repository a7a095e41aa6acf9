import type { EventFeed, EventReceiver } from './event-feed.ts'

/** Delivers one answer, and ends with it. */
export class AnswerFeed<T extends object> implements EventFeed<T> {
  readonly #ask: () => Promise<T>
  /** Cleared when the feed is over. */
  #receiver: EventReceiver<T> | undefined

  constructor(ask: () => Promise<T>) {
    this.#ask = ask
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    yield await this.#ask()
  }

  deliver(receiver: EventReceiver<T>): void {
    this.#receiver = receiver
    new Promise<T>(resolve => resolve(this.#ask())).then(this.#answered, this.#failed)
  }

  pause(): void {}

  resume(): void {}

  stop(): void {
    this.#receiver = undefined
  }

  readonly #answered = (answer: T): void => {
    const receiver = this.#receiver
    this.#receiver = undefined
    receiver?.events([answer])
    receiver?.end()
  }

  readonly #failed = (error: unknown): void => {
    const receiver = this.#receiver
    this.#receiver = undefined
    receiver?.fail(error)
  }
}
