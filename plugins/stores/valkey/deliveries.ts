import type { Clock } from '../../../core/index.ts'
import { mayRepeat, type Connection } from './connection.ts'
import type { Generation } from './generation.ts'
import type { Script } from './script.ts'

/** How long the number of the last batch is remembered, and so how late a repeated one may come. */
const numberKeptMs = 600_000
/** Core takes a batch for lost after ten seconds. */
const giveUpMs = 8_000
/** Batches that wait for those before them. More are rejected. */
const maxBatches = 1_000

/**
 * Sends batches that must not be applied twice. Each has a number, and the server remembers the last one of this process. So a batch whose
 * answer was lost with its connection is sent again, until the server has applied it or
 * eight seconds are over. If the server lost its data meanwhile, what was counted before means nothing, and the batch is rejected.
 */
export class Deliveries {
  readonly #connection: Connection
  readonly #generation: Generation
  readonly #clock: Clock
  /** The last batch that waits, by the key with the number. */
  readonly #last = new Map<string, Promise<unknown>>()
  #number = 0
  #waiting = 0

  constructor(connection: Connection, generation: Generation, clock: Clock) {
    this.#connection = connection
    this.#generation = generation
    this.#clock = clock
  }

  /** `numberKey` is the first key of the script, and number and time the first values. Batches with the same one are sent in their order. */
  async deliver(script: Script, numberKey: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    if (this.#waiting >= maxBatches) throw new Error('too many batches wait for Valkey')
    this.#waiting++
    const until = this.#clock.elapsed() + giveUpMs
    const before = this.#last.get(numberKey)
    const sent = (before ?? Promise.resolve()).then(
      () => this.#send(script, [numberKey, ...keys], values, until),
      () => this.#send(script, [numberKey, ...keys], values, until),
    )
    this.#last.set(numberKey, sent)
    try {
      return await sent
    } finally {
      this.#waiting--
      if (this.#last.get(numberKey) === sent) this.#last.delete(numberKey)
    }
  }

  async #send(script: Script, keys: readonly string[], values: readonly string[], until: number): Promise<unknown> {
    const { known } = this.#generation
    const numbered = [String(++this.#number), String(numberKeptMs), ...values]
    for (;;) {
      try {
        return await this.#connection.run(script, keys, numbered)
      } catch (error) {
        const leftMs = until - this.#clock.elapsed()
        if (!mayRepeat(error) || leftMs <= 0) throw error
        await this.#connection.ready(leftMs)
        if (known !== undefined && (await this.#isLost(known))) throw error
      }
    }
  }

  /** If nobody can tell, the next try fails, too. */
  async #isLost(known: string): Promise<boolean> {
    try {
      return (await this.#generation.current()) !== known
    } catch {
      return false
    }
  }
}
