import type { Kysely } from 'kysely'
import type { Clock, Logger } from '../../../core/index.ts'
import { describeError } from '../../../core/kit.ts'
import type { Maybe } from '../../../core/stores.ts'
import { databaseNow } from './database-now.ts'
import type { Tables } from './tables.ts'

const readEveryMs = 15_000
/** A reading that took longer says too little, unless there is no other. */
const longestReadMs = 1_000
/** The clocks of a machine that slept, or was set, differ by more. */
const sleptMs = 1_000

interface Reading {
  /** The time of the database, in milliseconds since the epoch. */
  readonly at: number
  /** The clocks of this machine at that moment. */
  readonly now: number
  readonly elapsed: number
}

/**
 * The time by which gateways decide together about periods, windows and ages: that of the database. It is read regularly, and counted on from
 * there, so the machine's own time does not matter.
 */
export class DatabaseClock implements Clock {
  readonly #database: Kysely<Tables>
  readonly #machine: Clock
  readonly #log: Logger
  #latest: Reading
  #hasRead = false
  #reading: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(database: Kysely<Tables>, machine: Clock, log: Logger) {
    this.#database = database
    this.#machine = machine
    this.#log = log
    // Until the first reading.
    this.#latest = { at: machine.now(), now: machine.now(), elapsed: machine.elapsed() }
  }

  now(): number {
    return Math.floor(this.#latest.at + this.#machine.elapsed() - this.#latest.elapsed)
  }

  elapsed(): number {
    return this.#machine.elapsed()
  }

  /** The time, read again if this machine seems to have slept. Throws if it cannot be read then. */
  current(): Maybe<number> {
    return this.#hasSlept ? this.read().then(() => this.now()) : this.now()
  }

  async start(): Promise<void> {
    const read = (): Promise<void> =>
      this.read().catch(error => this.#log.warn('could not read the time of the database', describeError(error)))
    await read()
    this.#timer = setInterval(() => void read(), readEveryMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  read(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)))
  }

  async #read(): Promise<void> {
    const began = this.#machine.elapsed()
    const row = await this.#database.selectNoFrom(databaseNow(this.#database).as('now')).executeTakeFirstOrThrow()
    const elapsed = this.#machine.elapsed()
    const tookMs = elapsed - began
    if (tookMs > longestReadMs && this.#hasRead && !this.#hasSlept) return
    this.#hasRead = true
    this.#latest = { at: Number(row.now) + tookMs / 2, now: this.#machine.now(), elapsed }
  }

  get #hasSlept(): boolean {
    const { now, elapsed } = this.#latest
    return Math.abs(this.#machine.now() - now - (this.#machine.elapsed() - elapsed)) > sleptMs
  }
}
