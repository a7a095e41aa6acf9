interface Pending {
  readonly since: number
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Nobody waits longer for an answer. */
const maxWaitMs = 1_000
const lookEveryMs = 250
const maxPending = 10_000

/** The calls that wait for an answer of the owner. */
export class PendingCalls {
  /** The oldest first. */
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #looking: NodeJS.Timeout | undefined

  add(send: (id: number) => void): Promise<unknown> {
    if (this.#pending.size >= maxPending) return Promise.reject(new Error(`${maxPending} calls wait for the owner process`))
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = ++this.#lastId
    this.#pending.set(id, { since: performance.now(), resolve, reject })
    this.#looking ??= setInterval(() => this.#endOld(), lookEveryMs).unref()
    send(id)
    return promise
  }

  answered(id: number, result: unknown): void {
    this.#take(id)?.resolve(result)
  }

  failed(id: number, message: string): void {
    this.#take(id)?.reject(new Error(message))
  }

  failAll(message: string): void {
    for (const id of this.#pending.keys()) this.failed(id, message)
  }

  /** Undefined if nobody waits for it any more. */
  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  #endOld(): void {
    const before = performance.now() - maxWaitMs
    for (const [id, { since }] of this.#pending) {
      if (since > before) break
      this.failed(id, `the owner process did not answer within ${maxWaitMs} ms`)
    }
    if (this.#pending.size > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }
}
