import type { SharedChange } from '../../core/contracts/shared-state.ts'
import type { Clock } from '../../core/foundation/clock.ts'
import { recentValues } from '../../core/runtime/recent-values.ts'

interface Published {
  readonly change: SharedChange
  /** On `Clock.elapsed`. */
  readonly until: number
  isSent: boolean
}

const maxKept = 10_000
/** How long the end of an entry is kept for an owner that is not there. */
const endKeptMs = 60_000

/** The latest changes that this process told the others, while they are valid, for an owner that does not know them. */
export class PublishedChanges {
  readonly #clock: Clock
  readonly #changes = recentValues<string, Published>(maxKept)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(change: SharedChange, isSent: boolean): void {
    const isOver = change.value === undefined || change.forMs <= 0
    const name = nameOf(change)
    if (isOver && isSent) this.#changes.delete(name)
    else this.#changes.set(name, { change, until: this.#clock.elapsed() + (isOver ? endKeptMs : change.forMs), isSent })
  }

  /** Call for a change of another process, which is newer. */
  forget(change: SharedChange): void {
    this.#changes.delete(nameOf(change))
  }

  /** Changes that an owner does not know, each with the time that is left. `knows`: the owner has been told before. */
  *untold(knows: boolean): Iterable<SharedChange> {
    const now = this.#clock.elapsed()
    for (const [name, published] of [...this.#changes.entries()].reverse()) {
      const { change, until, isSent } = published
      if (until <= now) this.#changes.delete(name)
      else if (!isSent || !knows) {
        published.isSent = true
        yield change.forMs > 0 ? { ...change, forMs: Math.ceil(until - now) } : change
      }
    }
  }
}

function nameOf({ map, key }: SharedChange): string {
  return `${map}\n${key}`
}
