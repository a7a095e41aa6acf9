import type { Clock } from '../../../core/index.ts'
import type { Connection } from './connection.ts'
import type { Generation } from './generation.ts'
import { Lane } from './lane.ts'
import type { Script } from './script.ts'

/** How long the number of the last batch is remembered, and so how late a repeated one may come. */
const numberKeptMs = 600_000
/** Core takes a batch for lost after ten seconds. */
const giveUpMs = 8_000
/** Batches that have no answer yet. More are rejected. */
const maxBatches = 1_000

/**
 * Sends batches that must not be applied twice. Each has a number, and the server remembers the last one of this process. So a batch whose
 * answer was lost with its connection is sent again, until the server has applied it or eight seconds are over.
 */
export class Deliveries {
  readonly #connection: Connection
  readonly #generation: Generation
  readonly #clock: Clock
  /** By the key that has the number. */
  readonly #lanes = new Map<string, Lane>()
  #number = 0
  #open = 0

  constructor(connection: Connection, generation: Generation, clock: Clock) {
    this.#connection = connection
    this.#generation = generation
    this.#clock = clock
  }

  /** `numberKey` is the first key of the script; the number, and how long it is kept, are the first values. Sent at once, in the order of the calls. */
  async deliver(script: Script, numberKey: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    if (this.#open >= maxBatches) throw new Error('too many batches wait for Valkey')
    let lane = this.#lanes.get(numberKey)
    if (!lane) this.#lanes.set(numberKey, (lane = new Lane(this.#connection, this.#generation, this.#clock)))
    this.#open++
    try {
      const numbered = [String(++this.#number), String(numberKeptMs), ...values]
      return await lane.send({ script, keys: [numberKey, ...keys], values: numbered, until: this.#clock.elapsed() + giveUpMs })
    } finally {
      this.#open--
      if (lane.isEmpty && this.#lanes.get(numberKey) === lane) this.#lanes.delete(numberKey)
    }
  }
}
