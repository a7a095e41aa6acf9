import type { Clock } from '../../../core/index.ts'
import { mayRepeat, type Connection } from './connection.ts'
import type { Generation } from './generation.ts'
import type { Script } from './script.ts'

export interface Batch {
  readonly script: Script
  readonly keys: readonly string[]
  readonly values: readonly string[]
  /** On `Clock.elapsed`: after it, the batch is given up. */
  readonly until: number
}

interface OpenBatch extends Batch {
  readonly answer: PromiseWithResolvers<unknown>
}

/**
 * Batches that reach the server in their order. After a break, those without an answer come again before any other: the server skips all up
 * to the last one that it has applied.
 */
export class Lane {
  readonly #connection: Connection
  readonly #generation: Generation
  readonly #clock: Clock
  readonly #open = new Set<OpenBatch>()
  #underWay = 0
  #isBroken = false

  constructor(connection: Connection, generation: Generation, clock: Clock) {
    this.#connection = connection
    this.#generation = generation
    this.#clock = clock
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  send(batch: Batch): Promise<unknown> {
    const open = { ...batch, answer: Promise.withResolvers<unknown>() }
    this.#open.add(open)
    if (!this.#isBroken) void this.#try(open)
    return open.answer.promise
  }

  async #try(batch: OpenBatch): Promise<void> {
    this.#underWay++
    const { known } = this.#generation
    try {
      const answer = await this.#connection.run(batch.script, batch.keys, batch.values)
      this.#open.delete(batch)
      batch.answer.resolve(answer)
    } catch (error) {
      if (!mayRepeat(error)) this.#reject(batch, error)
      else if (!this.#isBroken) void this.#mend(error, known)
    } finally {
      this.#underWay--
    }
  }

  /** If the server has lost its data meanwhile, what was counted before means nothing. */
  async #mend(error: unknown, generation: string | undefined): Promise<void> {
    this.#isBroken = true
    for (;;) {
      const now = this.#clock.elapsed()
      for (const batch of this.#open) if (batch.until <= now || this.#connection.isClosed) this.#reject(batch, error)
      const [oldest] = this.#open
      if (!oldest) break
      await this.#connection.ready(oldest.until - now)
      if (this.#underWay > 0 || !this.#connection.isReady) continue
      if (generation === undefined) break
      const found = await this.#generation.current().catch(() => undefined)
      if (found === undefined) continue
      if (found !== generation) for (const batch of this.#open) this.#reject(batch, error)
      break
    }
    this.#isBroken = false
    for (const batch of this.#open) void this.#try(batch)
  }

  #reject(batch: OpenBatch, error: unknown): void {
    this.#open.delete(batch)
    batch.answer.reject(error)
  }
}
