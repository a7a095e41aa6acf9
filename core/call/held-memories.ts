import type { HeldMemory } from '../contracts/held-memory.ts'
import { Roster, type Listed } from '../runtime/roster.ts'
import { largestOwner } from './largest-owner.ts'

/** The memory that surfaces hold between requests. It goes before an answer does: callers can send a conversation again. */
export class HeldMemories {
  readonly #held = new Roster<Held>()
  readonly #grew: (by: number) => void

  /** Calls `grew` with every change in size. */
  constructor(grew: (by: number) => void) {
    this.#grew = grew
  }

  open(owner: string, evict: () => void): HeldMemory {
    return new Held(owner, evict, this.#held, this.#grew)
  }

  /** Lets the largest one go of the owner who holds the most. Returns false if nothing is held. */
  evictOne(): boolean {
    const all = this.#held.all()
    if (all.length === 0) return false
    const owner = largestOwner(all)
    all
      .filter(each => each.owner === owner)
      .reduce((largest, each) => (each.bytes > largest.bytes ? each : largest))
      .evict()
    return true
  }
}

/** In the roster while it has a size, so that empty ones cost nothing. */
class Held implements HeldMemory, Listed {
  place = -1
  readonly owner: string
  bytes = 0
  readonly #evict: () => void
  readonly #all: Roster<Held>
  readonly #grew: (by: number) => void
  #isOpen = true

  constructor(owner: string, evict: () => void, all: Roster<Held>, grew: (by: number) => void) {
    this.owner = owner
    this.#evict = evict
    this.#all = all
    this.#grew = grew
  }

  resize(bytes: number): void {
    if (!this.#isOpen || bytes === this.bytes) return
    const by = bytes - this.bytes
    if (this.bytes === 0) this.#all.add(this)
    else if (bytes === 0) this.#all.remove(this)
    this.bytes = bytes
    this.#grew(by)
  }

  release(): void {
    this.resize(0)
    this.#isOpen = false
  }

  evict(): void {
    this.resize(0)
    this.#evict()
  }
}
