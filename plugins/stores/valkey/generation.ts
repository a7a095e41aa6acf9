import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../core/index.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { generationScript } from './scripts/server.ts'

/** A replica that became the primary may lack the last signs of life. Data that lacks more is an old copy. */
const missingMs = 5_000
/** For so many signs of life, a new process leaves it to the others to find out that the data is an old copy. */
const silentBeats = 5

/** Names the data of the server: another name means that counts are lost. Also tells how the clock of the server stands. */
export class Generation {
  readonly #connection: Connection
  readonly #keys: Keys
  readonly #clock: Clock
  /** The last sign of life of any process that this one knows of, by part of the cluster. */
  readonly #lastOf = new Map<string, number>()
  #beats = 0
  #known: string | undefined
  /** The server's clock, minus this process's. */
  #aheadMs: number | undefined

  constructor(connection: Connection, keys: Keys, clock: Clock) {
    this.#connection = connection
    this.#keys = keys
    this.#clock = clock
  }

  /** As it was when it was last asked for. */
  get known(): string | undefined {
    return this.#known
  }

  async current(): Promise<string> {
    const notes = ++this.#beats > silentBeats ? '1' : '0'
    const parts = await Promise.all(this.#connection.parts.map(part => this.#in(part, notes)))
    return (this.#known = parts.join(' '))
  }

  /** On the server's clock: `waitMs` from now, or 0 if the clock is unknown. */
  deadline(waitMs: number): number {
    return this.#aheadMs === undefined ? 0 : Math.floor(this.#clock.elapsed() + this.#aheadMs + waitMs)
  }

  /** The next server may have another clock. */
  forgetClock(): void {
    this.#aheadMs = undefined
  }

  async #in(part: string, notes: string): Promise<string> {
    const values = [randomUUID().slice(0, 8), String(this.#lastOf.get(part) ?? 0), String(missingMs), notes]
    const reply = await this.#connection.run(generationScript, this.#keys.generation(part), values)
    const [generation, last, now] = reply as [string, number, number, string]
    this.#lastOf.set(part, last)
    this.#aheadMs = now - this.#clock.elapsed()
    return generation
  }
}
