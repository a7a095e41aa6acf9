/** An entry of a roster. Only the roster sets `place`. */
export interface Listed {
  place: number
}

/**
 * The operations in progress. Not a `Set`: after a set grows, V8 keeps its old table's entries alive until an old-space collection,
 * which would promote whole requests to the old space.
 */
export class Roster<T extends Listed> {
  readonly #entries: T[] = []

  get size(): number {
    return this.#entries.length
  }

  add(entry: T): void {
    entry.place = this.#entries.push(entry) - 1
  }

  /** Moves the last entry into the free place. Does nothing if the entry is not there. */
  remove(entry: T): void {
    if (this.#entries[entry.place] !== entry) return
    const last = this.#entries.pop()!
    if (last === entry) return
    this.#entries[entry.place] = last
    last.place = entry.place
  }

  /** A copy, so that you can remove entries while you iterate. */
  all(): readonly T[] {
    return [...this.#entries]
  }
}
