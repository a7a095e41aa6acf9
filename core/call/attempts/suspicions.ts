import { recentValues } from '../../runtime/recent-values.ts'

const firstRestMs = 10_000
const maxRestMs = 300_000

interface Suspicion {
  /** Whose requests failed first. */
  readonly owner: string
  /** The requests of another owner failed, too. */
  isShared: boolean
  failures: number
  until: number
}

/**
 * Credentials that were refused for what may have been the fault of the request. The first time has no consequence. From the second on,
 * with no answer in between, the credential rests for the model, and twice as long each time: for the owner whose requests failed, and for
 * all once a second owner's failed.
 */
export class Suspicions {
  /** By provider, credential and model. */
  readonly #known = recentValues<string, Suspicion>(10_000)

  get areNone(): boolean {
    return this.#known.size === 0
  }

  failed(name: string, owner: string, now: number): void {
    let known = this.#known.get(name)
    if (!known) this.#known.set(name, (known = { owner, isShared: false, failures: 0, until: 0 }))
    // A request that had nowhere else to go.
    if (rests(known, owner, now)) return
    if (known.owner !== owner && !known.isShared) {
      known.isShared = true
      known.failures = 1
    }
    known.failures++
    if (known.failures > 1) known.until = now + Math.min(maxRestMs, firstRestMs * 2 ** (known.failures - 2))
  }

  answered(name: string): void {
    this.#known.delete(name)
  }

  restsUntil(name: string, owner: string, now: number): number {
    const known = this.#known.get(name)
    return known && rests(known, owner, now) ? known.until : 0
  }
}

function rests({ owner: first, isShared, until }: Suspicion, owner: string, now: number): boolean {
  return now < until && (isShared || first === owner)
}
