import type { EventFeed, EventReceiver } from '../runtime/event-feed.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { ProviderMistake } from './provider-mistake.ts'

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
    const iterator: unknown = this[Symbol.asyncIterator]()
    if (typeof (iterator as Partial<AsyncIterator<E>> | null | undefined)?.next !== 'function')
      throw new ProviderMistake('returned no iterator from [Symbol.asyncIterator]: expected an object with the function `next`')
    this.#iterator = iterator as AsyncIterator<E | readonly E[]>
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
    try {
      const returning = this.#iterator?.return?.()
      if (returning) Promise.resolve(returning).catch(() => {})
    } catch {
      return
    }
  }

  #step(): void {
    if (this.#isStepping || this.#isPaused || !this.#receiver) return
    this.#isStepping = true
    try {
      Promise.resolve(this.#iterator!.next()).then(this.#stepped, this.#failed)
    } catch (error) {
      this.#failed(error)
    }
  }

  readonly #stepped = (result: IteratorResult<E | readonly E[]>): void => {
    this.#isStepping = false
    const receiver = this.#receiver
    if (!receiver) return
    if (typeof result !== 'object' || result === null)
      return this.#failed(
        new ProviderMistake(`gave ${kindOf(result)} from next() of its iterator: expected an object with \`done\` and \`value\``),
      )
    const { done, value } = result
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
