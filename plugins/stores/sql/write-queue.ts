export interface Write {
  readonly owner: string
  readonly bytes: number
}

interface Line<W> {
  readonly waiting: W[]
  /** What it had so far, in bytes. */
  had: number
}

/** Lets owners take turns by bytes: next is the owner that had the least, with its smallest write. So nobody waits long behind large ones. */
export class WriteQueue<W extends Write> {
  readonly #lines = new Map<string, Line<W>>()
  /** What the owner of the last write had. New owners start here, or they would come first for long. */
  #had = 0
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  add(write: W): void {
    this.#count++
    const line = this.#lines.get(write.owner)
    if (line) line.waiting.push(write)
    else this.#lines.set(write.owner, { waiting: [write], had: this.#had })
  }

  /** Returns undefined if the next one has more bytes than this, or nothing waits. */
  next(mostBytes: number): W | undefined {
    let chosen: Line<W> | undefined
    for (const line of this.#lines.values()) if (line.waiting.length > 0 && (!chosen || line.had < chosen.had)) chosen = line
    if (!chosen) return undefined
    const write = chosen.waiting.reduce((smallest, each) => (each.bytes < smallest.bytes ? each : smallest))
    if (write.bytes > mostBytes) return undefined
    chosen.waiting.splice(chosen.waiting.indexOf(write), 1)
    this.#had = Math.max(this.#had, chosen.had)
    chosen.had = this.#had + write.bytes
    this.#took()
    return write
  }

  /** Does nothing if it is not waiting. */
  remove(write: W): void {
    const line = this.#lines.get(write.owner)
    const place = line?.waiting.indexOf(write) ?? -1
    if (!line || place === -1) return
    line.waiting.splice(place, 1)
    this.#took()
  }

  #took(): void {
    this.#count--
    // What owners had counts only while others wait.
    if (this.#count === 0) this.#lines.clear()
  }
}
