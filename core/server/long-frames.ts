/** Long frames, of which each piece is made when the client has room for it, and the frames that follow them. */
export class LongFrames {
  readonly #waiting: (string | Iterator<string, void>)[] = []

  add(frame: string): void {
    const last = this.#waiting.at(-1)
    if (typeof last === 'string') this.#waiting[this.#waiting.length - 1] = last + frame
    else this.#waiting.push(frame)
  }

  addLong(pieces: Iterator<string, void>): void {
    this.#waiting.push(pieces)
  }

  /** The next piece, if there is one. */
  next(): string | undefined {
    for (;;) {
      const first = this.#waiting[0]
      if (typeof first === 'object') {
        const { value, done } = first.next()
        if (!done) return value
      }
      this.#waiting.shift()
      if (typeof first !== 'object') return first
    }
  }
}
