import type { EventFeed, EventReceiver } from './event-feed.ts'

const nothing: readonly never[] = []

/**
 * Where the events of a feed wait for their only reader. While it does not read, the feed is paused. Costs no promise per event
 * (`bench/runtime.ts`).
 */
export class Inbox<E extends object> implements EventReceiver<E> {
  readonly #feed: EventFeed<E>
  readonly #count: ((event: E) => void) | undefined
  readonly #heard: (() => void) | undefined
  #list: readonly E[] = nothing
  #taken = 0
  /** Lists that came after a pause. */
  #later: (readonly E[])[] | undefined
  #isEnded = false
  #failure: { readonly error: unknown } | undefined
  /** The reader's, while it waits. */
  #each: ((event: E) => boolean) | undefined
  #resolve: ((event: E | undefined) => void) | undefined
  #reject: ((error: unknown) => void) | undefined

  /** Calls `heard` when anything arrives, and `count` with each event before the reader gets it. `count` may throw. */
  constructor(feed: EventFeed<E>, count?: (event: E) => void, heard?: () => void) {
    this.#feed = feed
    this.#count = count
    this.#heard = heard
  }

  /** The feed has ended, and every event was taken. */
  get isOver(): boolean {
    return this.#isEnded && this.#taken >= this.#list.length
  }

  /** The next event, if it has arrived. */
  take(): E | undefined {
    if (this.#taken >= this.#list.length && !this.#nextList()) return undefined
    const event = this.#list[this.#taken++]!
    this.#count?.(event)
    return event
  }

  /** Waits for the next event; undefined at the end. Throws the feed's failure after the last event. */
  next(): Promise<E | undefined> {
    return new Promise((resolve, reject) => {
      const event = this.take()
      if (event || this.#isEnded) return resolve(event)
      if (this.#failure) return reject(this.#failure.error)
      this.#wait(resolve, reject, undefined)
    })
  }

  /**
   * Calls `each` with the events as they arrive, until it returns false or the feed ends. Undefined if that is the case at once. Throws
   * the feed's failure, and what `each` throws.
   */
  flow(each: (event: E) => boolean): Promise<unknown> | undefined {
    for (let event = this.take(); event; event = this.take()) if (!each(event)) return undefined
    if (this.#failure) throw this.#failure.error
    return this.#isEnded ? undefined : new Promise((resolve, reject) => this.#wait(resolve, reject, each))
  }

  /** Fails at once, without the events that were not taken yet. */
  abort(reason: unknown): void {
    this.#list = nothing
    this.#later = undefined
    this.#taken = 0
    this.fail(reason)
  }

  events(list: readonly E[]): void {
    this.#heard?.()
    if (list.length === 0 || this.#failure) return
    if (this.#taken < this.#list.length) (this.#later ??= []).push(list)
    else {
      this.#list = list
      this.#taken = 0
    }
    this.#deliver()
    if (!this.#resolve) this.#feed.pause()
  }

  end(): void {
    if (this.#failure) return
    this.#isEnded = true
    this.#settle(undefined)
  }

  fail(error: unknown): void {
    if (this.#isEnded || this.#failure) return
    this.#failure = { error }
    const reject = this.#reject
    this.#left()
    reject?.(error)
  }

  /** To the reader that waits. */
  #deliver(): void {
    if (!this.#resolve) return
    try {
      const each = this.#each
      if (!each) return this.#settle(this.take())
      for (let event = this.take(); event; event = this.take()) if (!each(event)) return this.#settle(undefined)
    } catch (error) {
      const reject = this.#reject
      this.#left()
      reject?.(error)
    }
  }

  #nextList(): boolean {
    this.#list = this.#later?.shift() ?? nothing
    this.#taken = 0
    return this.#list.length > 0
  }

  #wait(resolve: (event: E | undefined) => void, reject: (error: unknown) => void, each: ((event: E) => boolean) | undefined): void {
    this.#each = each
    this.#resolve = resolve
    this.#reject = reject
    this.#feed.resume()
  }

  #settle(event: E | undefined): void {
    const resolve = this.#resolve
    this.#left()
    resolve?.(event)
  }

  #left(): void {
    this.#each = this.#resolve = this.#reject = undefined
  }
}
