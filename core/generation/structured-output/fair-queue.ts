interface Line<T> {
  readonly waiting: T[]
  running: number
}

/** Lets owners take turns: whoever has the least running comes next, however much others have waiting. */
export class FairQueue<T> {
  /** By owner, the one that was served longest ago first. An owner of whom nothing waits or runs has no entry. */
  readonly #lines = new Map<string, Line<T>>()

  add(owner: string, job: T): void {
    const line = this.#lines.get(owner)
    if (line) line.waiting.push(job)
    else this.#lines.set(owner, { waiting: [job], running: 0 })
  }

  /** The next job runs from now on, until `done` is called for its owner. */
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

  done(owner: string): void {
    const line = this.#lines.get(owner)!
    line.running--
    this.#forget(owner, line)
  }

  /** Takes out a job that still waits; does nothing otherwise. */
  remove(owner: string, job: T): void {
    const line = this.#lines.get(owner)
    const place = line?.waiting.indexOf(job) ?? -1
    if (!line || place === -1) return
    line.waiting.splice(place, 1)
    this.#forget(owner, line)
  }

  #forget(owner: string, { waiting, running }: Line<T>): void {
    if (waiting.length === 0 && running === 0) this.#lines.delete(owner)
  }
}
