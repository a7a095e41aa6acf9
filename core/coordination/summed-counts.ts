import type { CountDelta, CountSum } from '../contracts/coordination.ts'
import type { Clock } from '../foundation/clock.ts'

interface Sum {
  readonly counts: Record<string, number>
  until: number
  /** When it changed last, in steps. */
  changed: number
}

/** Sums that members add to, and which of them changed since a member looked. */
export class SummedCounts {
  readonly #clock: Clock
  readonly #generation: string
  readonly #sums = new Map<string, Sum>()
  #steps = 0

  constructor(clock: Clock, generation: string) {
    this.#clock = clock
    this.#generation = generation
  }

  add(deltas: readonly CountDelta[]): void {
    if (deltas.length === 0) return
    const now = this.#clock.elapsed()
    const changed = ++this.#steps
    for (const { name, counts, forMs } of deltas) {
      let sum = this.#sums.get(name)
      if (!sum || sum.until <= now)
        this.#sums.set(name, (sum = { counts: Object.create(null) as Record<string, number>, until: 0, changed }))
      for (const [field, count] of Object.entries(counts)) sum.counts[field] = (sum.counts[field] ?? 0) + count
      sum.until = Math.max(sum.until, now + forMs)
      sum.changed = changed
    }
  }

  since(last: string | undefined): { readonly sums: readonly CountSum[]; readonly since: string } {
    const now = this.#clock.elapsed()
    const [generation, step] = last?.split(' ') ?? []
    const after = generation === this.#generation ? Number(step) : 0
    const sums: CountSum[] = []
    for (const [name, { counts, until, changed }] of this.#sums) {
      if (until <= now) this.#sums.delete(name)
      else if (changed > after) sums.push({ name, counts: { ...counts } })
    }
    return { sums, since: `${this.#generation} ${this.#steps}` }
  }
}
