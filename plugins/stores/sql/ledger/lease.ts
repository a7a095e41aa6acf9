import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../../core/index.ts'

/** The readings of this machine's clocks. One goes on while the machine sleeps, the other cannot be set. */
export interface Moment {
  readonly now: number
  readonly elapsed: number
}

/** By its lease, the holds of a process are its own. */
export class Lease {
  /** The name of the process in holds. */
  readonly id = randomUUID()
  readonly #clock: Clock
  readonly #sureMs: number
  readonly #listeners = new Set<() => void>()
  #renewed: Moment
  #isOver = false

  /** `sureMs`: for how long a renewal keeps others from giving the holds away, by the clocks of this machine. */
  constructor(clock: Clock, sureMs: number, renewed: Moment) {
    this.#clock = clock
    this.#sureMs = sureMs
    this.#renewed = renewed
  }

  /** False once others may soon give the holds away, or have. */
  get isSure(): boolean {
    if (this.#isOver) return false
    const { now, elapsed } = this.#renewed
    return this.#clock.elapsed() - elapsed < this.#sureMs && this.#clock.now() - now < this.#sureMs
  }

  /** `at`: before the database was asked. */
  renew(at: Moment): void {
    this.#renewed = at
  }

  /** Calls `listener` when the answers that are paid for by the holds have to end. Returns a function that takes this back. */
  onLost(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends the answers under way. The lease may be renewed later, for what is still to be settled. */
  lose(): void {
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }

  /** Others have found this process dead. */
  end(): void {
    this.#isOver = true
    this.lose()
  }
}
