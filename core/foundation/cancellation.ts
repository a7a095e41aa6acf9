/** Can be aborted once. An `AbortController` costs microseconds, so it is created only when the signal is first read. */
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

  /** Calls the listener at once if already aborted. */
  onAbort(listener: (reason: unknown) => void): void {
    if (this.#aborted) listener(this.#reason)
    else this.#listeners.push(listener)
  }

  offAbort(listener: (reason: unknown) => void): void {
    this.#listeners = this.#listeners.filter(other => other !== listener)
  }
}
