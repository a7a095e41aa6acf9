/**
 * A lightweight abort, with a real `AbortSignal` on demand: an `AbortController` takes ten times as long to create and to abort, so it is
 * created only if `signal` is read.
 */
export class Cancellation {
  #listeners: ((reason: unknown) => void)[] = []
  #aborted = false
  #reason: unknown
  #controller: AbortController | undefined

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    for (const listener of this.#listeners.splice(0)) listener(reason)
    this.#controller?.abort(reason)
  }

  /** The listener runs at once if already aborted. */
  onAbort(listener: (reason: unknown) => void): void {
    if (this.#aborted) listener(this.#reason)
    else this.#listeners.push(listener)
  }

  offAbort(listener: (reason: unknown) => void): void {
    this.#listeners = this.#listeners.filter(other => other !== listener)
  }
}
