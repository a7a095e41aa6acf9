import type { SharedChange } from '../../core/contracts/shared-state.ts'
import type { Clock } from '../../core/foundation/clock.ts'

interface Entry {
  readonly from: string
  readonly map: string
  readonly key: string
  readonly value: unknown
  /** On `Clock.elapsed`. */
  readonly until: number
  readonly size: number
}

/** An entry takes about so much besides its texts. */
const entryBytes = 200
const sweepEveryMs = 60_000

/** Valid entries that processes have told each other, for one that starts late. Above `maxBytes`, the oldest of the largest map go. */
export class SharedEntries {
  readonly #clock: Clock
  readonly #maxBytes: number
  /** The oldest first. */
  readonly #maps = new Map<string, Map<string, Entry>>()
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0
  #sweptAt = 0

  constructor(clock: Clock, maxBytes: number) {
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** `from`: the process that made the change. */
  add(from: string, { map, key, value, forMs }: SharedChange): void {
    this.#remove(map, key)
    if (value === undefined || forMs <= 0) return
    const now = this.#clock.elapsed()
    const size = entryBytes + 2 * (map.length + key.length + JSON.stringify(value).length)
    if (now - this.#sweptAt > sweepEveryMs) this.#sweep(now)
    this.#of(map).set(key, { from, map, key, value, until: now + forMs, size })
    this.#count(map, size)
    while (this.#bytes > this.#maxBytes) this.#removeOldest()
  }

  /** The entries of the other processes, with the time that is left. */
  *toldTo(process: string): Iterable<SharedChange> {
    const now = this.#clock.elapsed()
    for (const entries of this.#maps.values())
      for (const { from, map, key, value, until } of entries.values())
        if (from !== process && until > now) yield { map, key, value, forMs: Math.ceil(until - now) }
  }

  #of(map: string): Map<string, Entry> {
    let entries = this.#maps.get(map)
    if (!entries) this.#maps.set(map, (entries = new Map()))
    return entries
  }

  #remove(map: string, key: string): void {
    const entries = this.#maps.get(map)
    const entry = entries?.get(key)
    if (!entries || !entry) return
    entries.delete(key)
    this.#count(map, -entry.size)
    if (entries.size > 0) return
    this.#maps.delete(map)
    this.#bytesOf.delete(map)
  }

  #count(map: string, bytes: number): void {
    this.#bytes += bytes
    this.#bytesOf.set(map, (this.#bytesOf.get(map) ?? 0) + bytes)
  }

  #removeOldest(): void {
    const [largest] = [...this.#bytesOf].reduce((most, each) => (each[1] > most[1] ? each : most))
    const [oldest] = this.#maps.get(largest)!.keys()
    this.#remove(largest, oldest!)
  }

  #sweep(now: number): void {
    this.#sweptAt = now
    for (const entries of this.#maps.values()) for (const { map, key, until } of entries.values()) if (until <= now) this.#remove(map, key)
  }
}
