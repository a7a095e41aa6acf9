/** Counts requests in progress, in this process. */
export class Concurrency {
  readonly #inProgress = new Map<string, number>()

  /** Counts one request in progress until the returned function is called. Undefined if `limit` are in progress already. */
  enter(bucket: string, limit: number): (() => void) | undefined {
    const count = this.#inProgress.get(bucket) ?? 0
    if (count >= limit) return undefined
    this.#inProgress.set(bucket, count + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const left = this.#inProgress.get(bucket)! - 1
      if (left > 0) this.#inProgress.set(bucket, left)
      else this.#inProgress.delete(bucket)
    }
  }
}
