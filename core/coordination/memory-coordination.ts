import { randomUUID } from 'node:crypto'
import type {
  Beat,
  Claim,
  Claimed,
  Coordination,
  CountDelta,
  CountSum,
  Gauges,
  PlaceChange,
  Unclaimed,
  WindowChange,
} from '../contracts/coordination.ts'
import type { Clock } from '../foundation/clock.ts'
import { HeldPlaces } from './held-places.ts'
import { SharedWindows } from './shared-windows.ts'
import { SummedCounts } from './summed-counts.ts'

const lifeMs = 10_000

interface Member {
  seenAt: number
  gauges: Gauges | undefined
}

/** Where the processes of one machine count together, in the memory of one of them. Every call is one step, so it is atomic. */
export class MemoryCoordination {
  readonly #clock: Clock
  /** Stands for what was counted: another object has counted nothing. */
  readonly #generation: string
  readonly #members = new Map<string, Member>()
  readonly #places = new HeldPlaces()
  readonly #windows: SharedWindows
  readonly #counts: SummedCounts
  #sweepAt = 0

  constructor(clock: Clock, generation: string = randomUUID()) {
    this.#clock = clock
    this.#generation = generation
    this.#windows = new SharedWindows(clock, generation)
    this.#counts = new SummedCounts(clock, generation)
  }

  /** The service of one process. `id`: no other process has it. */
  member(id: string): Coordination {
    return {
      claim: async claim => this.#claim(id, claim),
      change: async (windows, places) => this.#change(id, windows, places),
      states: async (_, windows) => {
        this.#seen(id)
        return this.#windows.states(windows)
      },
      beat: async gauges => this.#beat(id, gauges),
      gauges: async () => this.#gauges(),
      exchange: async (deltas, since) => this.#exchange(id, deltas, since),
    }
  }

  /** Call when a process is known to have ended: its places are free at once. */
  leave(id: string): void {
    this.#members.delete(id)
    this.#places.leave(id)
  }

  #claim(member: string, { places, windows }: Claim): Claimed | Unclaimed {
    this.#seen(member)
    const fullPlace = places.find(place => !this.#places.has(place))
    const fullWindows = this.#windows.full(windows)
    if (fullPlace || fullWindows.length > 0)
      return { ...(fullPlace && { fullPlace: fullPlace.bucket }), fullWindows, windows: this.#windows.states(windows) }
    for (const { bucket, place } of places) this.#places.hold(bucket, place, member)
    return { windows: this.#windows.take(windows) }
  }

  #change(member: string, windows: readonly WindowChange[], places: readonly PlaceChange[]): void {
    this.#seen(member)
    for (const change of windows) this.#windows.change(change)
    for (const { bucket, place, isHeld } of places) {
      if (isHeld) this.#places.hold(bucket, place, member)
      else this.#places.free(bucket, place)
    }
  }

  #beat(member: string, gauges: Gauges): Beat {
    this.#seen(member).gauges = gauges
    return { processes: this.#members.size, generation: this.#generation }
  }

  #gauges(): readonly Gauges[] {
    this.#sweep()
    return [...this.#members.values()].map(({ gauges }) => gauges).filter(gauges => gauges !== undefined)
  }

  #exchange(
    member: string,
    deltas: readonly CountDelta[],
    since: string | undefined,
  ): { readonly sums: readonly CountSum[]; readonly since: string } {
    this.#seen(member)
    this.#counts.add(deltas)
    return this.#counts.since(since)
  }

  #seen(id: string): Member {
    this.#sweep()
    const now = this.#clock.elapsed()
    const known = this.#members.get(id)
    if (known) {
      known.seenAt = now
      return known
    }
    const member = { seenAt: now, gauges: undefined }
    this.#members.set(id, member)
    this.#sweepAt = Math.min(this.#sweepAt, now + lifeMs)
    return member
  }

  /** Ends the members that gave no sign of life. Looks only when the first one may be due. */
  #sweep(): void {
    const now = this.#clock.elapsed()
    if (now < this.#sweepAt) return
    let next = now + lifeMs
    for (const [id, { seenAt }] of this.#members) {
      if (now - seenAt >= lifeMs) this.leave(id)
      else next = Math.min(next, seenAt + lifeMs)
    }
    this.#sweepAt = next
  }
}
