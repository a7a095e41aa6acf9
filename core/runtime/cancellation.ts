type Listener = (reason: unknown) => void

/**
 * A lightweight abort, with a real `AbortSignal` on demand: an `AbortController` takes many times as long to create and to abort,
 * so it is created only if `signal` is read.
 */
export class Cancellation {
  #listeners: Listener[] | undefined
  #aborted = false
  #reason: unknown
  #controller: AbortController | undefined

  /** True from the first `abort` on. */
  get aborted(): boolean {
    return this.#aborted
  }

  /** As given to `abort`. Undefined before. */
  get reason(): unknown {
    return this.#reason
  }

  /** Made when it is first read. Read it only for an API that needs one. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Calls the listeners at once, in their order. Only the first call counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners) for (const listener of listeners) listener(reason)
    this.#controller?.abort(reason)
  }

  /** The listener runs at once if already aborted. */
  onAbort(listener: Listener): void {
    if (this.#aborted) listener(this.#reason)
    else if (this.#listeners) this.#listeners.push(listener)
    else this.#listeners = [listener]
  }

  /** Does nothing if it does not listen. */
  offAbort(listener: Listener): void {
    const place = this.#listeners?.indexOf(listener) ?? -1
    if (place >= 0) this.#listeners!.splice(place, 1)
  }
}
