import type { Item } from '../../../core/index.ts'
import { memoryOf, type HeldMemory } from '../../../core/kit.ts'

/** A response that the connection can continue, also if it was not stored. */
export interface LatestResponse {
  readonly id: string
  /** The conversation up to its end. */
  readonly items: readonly Item[]
  readonly bytes: number
  /** True if the store has it, too. */
  isStored: boolean
}

/** The latest response of each lane of a connection. */
export class LatestResponses {
  readonly #byLane = new Map<string, LatestResponse>()
  readonly #memory: HeldMemory
  #bytes = 0

  /** `hold` starts to count the memory. It calls its argument when the memory has to be freed. */
  constructor(hold: (evict: () => void) => HeldMemory) {
    this.#memory = hold(() => this.#forgetAll())
  }

  find(id: string): LatestResponse | undefined {
    for (const latest of this.#byLane.values()) if (latest.id === id) return latest
    return undefined
  }

  /** Replaces the lane's response. `added` comes after the items of the one that it continues. */
  keep(lane: string, id: string, earlier: Pick<LatestResponse, 'items' | 'bytes'>, added: readonly Item[]): LatestResponse {
    const latest = { id, items: [...earlier.items, ...added], bytes: earlier.bytes + memoryOf(added), isStored: false }
    this.#bytes += latest.bytes - (this.#byLane.get(lane)?.bytes ?? 0)
    this.#byLane.set(lane, latest)
    this.#memory.resize(this.#bytes)
    return latest
  }

  evict(id: string): void {
    for (const [lane, latest] of this.#byLane) {
      if (latest.id !== id) continue
      this.#byLane.delete(lane)
      this.#bytes -= latest.bytes
    }
    this.#memory.resize(this.#bytes)
  }

  /** The connection has closed. */
  close(): void {
    this.#forgetAll()
    this.#memory.release()
  }

  #forgetAll(): void {
    this.#byLane.clear()
    this.#bytes = 0
  }
}
