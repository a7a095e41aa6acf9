import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import pTimeout from 'p-timeout'
import type { Clock, Logger } from '../../../core/index.ts'
import { describeError } from '../../../core/kit.ts'
import { rollUps, packSummary, type LiveMetrics } from '../../../core/stores.ts'
import { readMetrics, rollUpOldest, saveMetrics, summaryOf } from './metric-rows.ts'
import type { MetricTable, Tables } from './tables.ts'

const minuteMs = 60_000
const saveEveryMs = 20_000
const rollUpEveryMs = 10 * minuteMs
/** The minutes that the shortest intervals need, loaded before the first request. */
const recentMinutes = 20
/** While the database does not answer, this many minutes of endpoints wait in memory. */
const maxWaiting = 50_000
/** Longer, a stop does not wait for a database that is down. */
const stopWaitMs = 5_000

/** Writes the metrics of this process to the database in batches, and reads those of earlier ones at the start. */
export class SavedMetrics {
  readonly #database: Kysely<Tables>
  readonly #metrics: LiveMetrics
  readonly #clock: Clock
  readonly #log: Logger
  readonly #writer = randomUUID()
  /** By level, minute and endpoint. */
  readonly #waiting = new Map<string, MetricTable>()
  #timers: readonly NodeJS.Timeout[] = []
  /** The work on the database, one piece after another. */
  #work: Promise<void> = Promise.resolve()
  #isFailing = false
  #stopped = false

  constructor(database: Kysely<Tables>, metrics: LiveMetrics, clock: Clock, log: Logger) {
    this.#database = database
    this.#metrics = metrics
    this.#clock = clock
    this.#log = log
  }

  /** Resolves when the recent minutes are there. The rest follows in the background, which `save` and `rollUp` wait for. */
  async start(): Promise<void> {
    const current = this.#currentMinute()
    const recent = current - recentMinutes
    this.#then('could not read earlier metrics', () => this.#restore(0, recent, current + 1))
    await this.#work
    this.#then('could not read earlier metrics', async () => {
      for (const level of rollUps.keys()) await this.#restore(level, 0, level === 0 ? recent : Number.MAX_SAFE_INTEGER)
    })
    this.#rollUp()
    this.#timers = [setInterval(() => this.#save(), saveEveryMs).unref(), setInterval(() => this.#rollUp(), rollUpEveryMs).unref()]
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#stopped = true
    this.#save()
    const fallback = (): void => this.#log.warn('could not write the last metrics before the stop')
    await pTimeout(this.#work, { milliseconds: stopWaitMs, fallback })
  }

  /** Resolves when all that was recorded so far is in the database, or could not be written. */
  async save(): Promise<void> {
    this.#save()
    await this.#work
  }

  /** Resolves when no period is at a level that is too fine for its age. */
  async rollUp(): Promise<void> {
    this.#rollUp()
    await this.#work
  }

  #save(): void {
    this.#metrics.takeChanges((provider, model, minute, summary) => {
      const row = { level: 0, first_minute: minute, provider, model, writer: this.#writer, summary: packSummary(summary) }
      this.#waiting.set(`${minute}\n${provider}\n${model}`, row)
    })
    this.#dropOldest()
    if (this.#waiting.size > 0) this.#then('metrics could not be written', () => this.#write())
  }

  #dropOldest(): void {
    let dropped = 0
    for (const name of this.#waiting.keys()) {
      if (this.#waiting.size <= maxWaiting) break
      this.#waiting.delete(name)
      dropped++
    }
    if (dropped > 0) this.#log.warn('dropped metrics, because the database has not accepted any for too long', { minutes: dropped })
  }

  async #write(): Promise<void> {
    const rows = new Map(this.#waiting)
    try {
      await saveMetrics(this.#database, [...rows.values()])
    } catch (error) {
      // Once is enough: the failure lasts as long as the database is away.
      if (!this.#isFailing) this.#log.warn('metrics could not be written; they are kept for the next attempt', describeError(error))
      this.#isFailing = true
      return
    }
    for (const [name, row] of rows) if (this.#waiting.get(name) === row) this.#waiting.delete(name)
    if (this.#isFailing) this.#log.info('metrics are written again')
    this.#isFailing = false
  }

  #rollUp(): void {
    this.#then('could not roll up metrics', async () => {
      for (const level of rollUps.keys()) {
        while (!this.#stopped && (await rollUpOldest(this.#database, level, this.#currentMinute(), this.#writer))) await setImmediate()
      }
    })
  }

  async #restore(level: number, from: number, end: number): Promise<void> {
    let damaged = 0
    for await (const rows of readMetrics(this.#database, level, from, end, this.#writer)) {
      if (this.#stopped) return
      for (const row of rows) {
        const summary = summaryOf(row)
        if (summary) this.#metrics.restore(row.provider, row.model, level, row.first_minute, summary)
        else damaged++
      }
      await setImmediate()
    }
    if (damaged > 0) this.#log.warn('stored metrics cannot be read because their rows were changed; they are ignored', { rows: damaged })
  }

  /** Metrics are never worth a failing gateway, so an error is only logged. */
  #then(problem: string, work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(error => this.#log.warn(problem, describeError(error)))
  }

  #currentMinute(): number {
    return Math.floor(this.#clock.now() / minuteMs)
  }
}
