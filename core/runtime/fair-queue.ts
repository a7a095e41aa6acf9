interface OwnerLine<T> {
  readonly waiting: T[]
  running: number
}

/** Lets owners take turns: the owner with the fewest running jobs is next, no matter how many jobs others have waiting. */
export class FairQueue<T> {
  /** By owner, least recently served first. An owner without waiting or running jobs has no entry. */
  readonly #lines = new Map<string, OwnerLine<T>>()

  /** The job waits behind the owner's earlier ones. */
  add(owner: string, job: T): void {
    const line = this.#lines.get(owner)
    if (line) line.waiting.push(job)
    else this.#lines.set(owner, { waiting: [job], running: 0 })
  }

  /** Takes the next job. It counts as running until `done` is called for its owner. */
  next(): T | undefined {
    let chosen: string | undefined
    let least = Infinity
    for (const [owner, { waiting, running }] of this.#lines) {
      if (waiting.length === 0 || running >= least) continue
      chosen = owner
      least = running
    }
    if (chosen === undefined) return undefined
    const line = this.#lines.get(chosen)!
    this.#lines.delete(chosen)
    this.#lines.set(chosen, line)
    line.running++
    return line.waiting.shift()
  }

  /** Call once for each job that `next` returned, when it is over. */
  done(owner: string): void {
    const line = this.#lines.get(owner)!
    line.running--
    this.#forget(owner, line)
  }

  /** Removes a waiting job. Does nothing if it is not waiting. */
  remove(owner: string, job: T): void {
    const line = this.#lines.get(owner)
    const place = line?.waiting.indexOf(job) ?? -1
    if (!line || place === -1) return
    line.waiting.splice(place, 1)
    this.#forget(owner, line)
  }

  #forget(owner: string, { waiting, running }: OwnerLine<T>): void {
    if (waiting.length === 0 && running === 0) this.#lines.delete(owner)
  }
}
