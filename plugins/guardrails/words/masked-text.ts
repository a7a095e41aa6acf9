import type { Match } from './scanner.ts'

const mask = '***'

/** A text that arrives in pieces, with a mask in place of every match. */
export class MaskedText {
  #held = ''
  /** Where `#held` begins. */
  #from = 0
  /** Separate, in order. The first may have begun before `#from`: its mask was taken, and the rest of it is left out. */
  readonly #matches: { start: number; end: number }[] = []

  add(piece: string, matches: readonly Match[]): void {
    this.#held += piece
    for (const { start, end } of matches) {
      const joined = { start, end }
      // Matches come in the order of their ends.
      for (let last = this.#matches.at(-1); last && last.end >= joined.start; last = this.#matches.at(-1)) {
        joined.start = Math.min(joined.start, last.start)
        this.#matches.pop()
      }
      this.#matches.push(joined)
    }
  }

  /** The text before this offset that has not been taken yet. */
  take(to: number): string {
    let taken = ''
    const textTo = (offset: number): void => {
      const length = Math.max(0, offset - this.#from)
      taken += this.#held.slice(0, length)
      this.#drop(length)
    }
    for (let match = this.#matches[0]; match && match.start < to; match = this.#matches[0]) {
      if (match.start >= this.#from) {
        textTo(match.start)
        taken += mask
      }
      this.#drop(Math.min(match.end, to) - this.#from)
      if (match.end > to) return taken
      this.#matches.shift()
    }
    textTo(to)
    return taken
  }

  #drop(length: number): void {
    if (length === 0) return
    this.#held = this.#held.slice(length)
    this.#from += length
  }
}
