import type { Coordinated } from '../../coordination/coordinated.ts'
import type { Together } from '../../coordination/together.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { ProviderPlaces } from './provider-places.ts'
import type { QueueSignals } from './queue-signals.ts'

export interface SharedPlacesParts {
  readonly coordinated: Coordinated
  readonly together: Together
  readonly signals: QueueSignals
  readonly clock: Clock
}

/** After an answer that there is none, requests wait so long before they ask again. */
const fullForMs = 20
const mostWaitMs = 250
const laterMs = 5

/** Those that all processes share. */
export class SharedProviderPlaces implements ProviderPlaces {
  readonly #provider: string
  readonly #limit: number
  readonly #parts: SharedPlacesParts
  #taken = 0
  #asked = 0
  #fullUntil = 0

  constructor(provider: string, limit: number, parts: SharedPlacesParts) {
    this.#provider = provider
    this.#limit = limit
    this.#parts = parts
  }

  get isFull(): boolean {
    return this.#taken + this.#asked >= this.#limit || this.#parts.clock.elapsed() < this.#fullUntil
  }

  async take(): Promise<(() => void) | undefined> {
    const { together, signals, clock } = this.#parts
    const bucket = `provider:${this.#provider}`
    this.#asked++
    let leave: (() => void) | undefined
    try {
      const taking = await together.take({ group: bucket, place: { bucket, limit: this.#limit }, windows: [] })
      leave = taking.leave
    } finally {
      this.#asked--
    }
    this.#fullUntil = leave ? 0 : clock.elapsed() + fullForMs
    if (!leave) return undefined
    this.#taken++
    return () => {
      this.#taken--
      this.#fullUntil = 0
      leave()
      signals.freed(this.#provider)
    }
  }

  /** Always, if no other process waits. Otherwise each keeps its part for those that wait there, and gives back the rest. */
  mayPassOn(running: number): boolean {
    const { coordinated, signals } = this.#parts
    if (!coordinated.isUp) return running <= coordinated.share(this.#limit)
    return !signals.othersWait(this.#provider) || running <= Math.floor(this.#limit / coordinated.processes)
  }

  async again(tries: number): Promise<void> {
    const { coordinated, signals } = this.#parts
    signals.waits(this.#provider)
    const isBelowPart = this.#taken < Math.floor(this.#limit / coordinated.processes)
    const most = Math.min(mostWaitMs, fullForMs * 2 ** Math.min(tries, 4))
    await signals.free(this.#provider, most * (0.5 + Math.random() / 2))
    // Processes that have less than their part get freed places first.
    if (!isBelowPart) await later(laterMs * Math.random())
  }
}

function later(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds).unref())
}
