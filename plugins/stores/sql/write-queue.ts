export interface Write {
  readonly owner: string
  readonly bytes: number
}

interface Line<W> {
  readonly waiting: W[]
  /** The bytes that it has had so far. */
  had: number
}

/** Lets owners take turns by bytes: next is the owner that had the least, with its smallest write. So nobody waits long behind large ones. */
export class WriteQueue<W extends Write> {
  readonly #lines = new Map<string, Line<W>>()
  /** The bytes that the owner of the last write has had. New owners start here, or they would come first for a long time. */
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

  /** The next write, if one waits and it has at most this many bytes. */
  next(maxBytes: number): W | undefined {
    let chosen: Line<W> | undefined
    for (const line of this.#lines.values()) if (line.waiting.length > 0 && (!chosen || line.had < chosen.had)) chosen = line
    if (!chosen) return undefined
    const write = chosen.waiting.reduce((smallest, each) => (each.bytes < smallest.bytes ? each : smallest))
    if (write.bytes > maxBytes) return undefined
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
    // The bytes that owners have had count only while others wait.
    if (this.#count === 0) this.#lines.clear()
  }
}
