import type { EventFeed, EventReceiver } from '../contracts/event-feed.ts'

/** Makes a feed of any iterable. It asks for a step only while it is not paused. */
export class IteratedFeed<E extends object> implements EventFeed<E> {
  readonly #events: AsyncIterable<E | readonly E[]>
  #iterator: AsyncIterator<E | readonly E[]> | undefined
  #receiver: EventReceiver<E> | undefined
  #isStepping = false
  #isPaused = false

  constructor(events: AsyncIterable<E | readonly E[]>) {
    this.#events = events
  }

  [Symbol.asyncIterator](): AsyncIterator<E | readonly E[]> {
    return this.#events[Symbol.asyncIterator]()
  }

  deliver(receiver: EventReceiver<E>): void {
    this.#receiver = receiver
    this.#iterator = this[Symbol.asyncIterator]()
    this.#step()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#step()
  }

  stop(): void {
    if (!this.#receiver) return
    this.#receiver = undefined
    // Ends an iterable that does not watch its signal. Errors that it still throws no longer matter.
    const returning = this.#iterator?.return?.()
    if (returning) Promise.resolve(returning).catch(() => {})
  }

  #step(): void {
    if (this.#isStepping || this.#isPaused || !this.#receiver) return
    this.#isStepping = true
    Promise.resolve(this.#iterator!.next()).then(this.#stepped, this.#failed)
  }

  readonly #stepped = ({ done, value }: IteratorResult<E | readonly E[]>): void => {
    this.#isStepping = false
    const receiver = this.#receiver
    if (!receiver) return
    if (!done) {
      receiver.events((Array.isArray(value) ? value : [value]) as readonly E[])
      return this.#step()
    }
    this.#receiver = undefined
    receiver.end()
  }

  readonly #failed = (error: unknown): void => {
    const receiver = this.#receiver
    this.#receiver = undefined
    receiver?.fail(error)
  }
}
