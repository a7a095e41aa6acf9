/** Something that a roster may hold; the place is the roster's own note. */
export interface Listed {
  place: number
}

/**
 * What is under way right now. Not a `Set`: V8 keeps the entries of a set's outgrown tables alive until an old-space collection,
 * and whole requests would grow old with them.
 */
export class Roster<T extends Listed> {
  readonly #entries: T[] = []

  get size(): number {
    return this.#entries.length
  }

  add(entry: T): void {
    entry.place = this.#entries.push(entry) - 1
  }

  /** The last entry takes the place that becomes free. Removing what is not there does nothing. */
  remove(entry: T): void {
    if (this.#entries[entry.place] !== entry) return
    const last = this.#entries.pop()!
    if (last === entry) return
    this.#entries[entry.place] = last
    last.place = entry.place
  }

  /** A copy, so that entries may leave meanwhile. */
  all(): readonly T[] {
    return [...this.#entries]
  }
}
