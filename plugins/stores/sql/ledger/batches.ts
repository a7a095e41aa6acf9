import type { Kysely } from 'kysely'
import { forUpdate } from '../for-update.ts'
import type { CreditHoldTable, Tables } from '../tables.ts'
import { everyTick, Standstill, tickMs } from '../standstill.ts'
import { LockedSums, type SumName } from './sums.ts'

/** One change to the ledger. Many run in one transaction. */
export interface LedgerChange<T> {
  /** The sums to lock, in addition to those of the holds. */
  readonly names?: readonly SumName[]
  readonly orgs?: readonly string[]
  /** The id of the hold that it changes. */
  readonly hold?: string
  /** The id of the entry that it adds. */
  readonly entry?: string
  /** Changes the sums, and says what to write besides. May run again, if the transaction fails. `hold`: as the database has it. */
  apply(sums: LockedSums, hold: HoldRow | undefined): { readonly result: T; readonly hold?: HoldRow | 'delete' | undefined }
}

export type HoldRow = Omit<CreditHoldTable, 'sums'> & { readonly sums: readonly SumName[] }

interface Waiting {
  readonly change: LedgerChange<unknown>
  readonly patienceMs: number
  /** The tick that ends its patience. */
  readonly lastTick: number
  resolve(result: any): void
  reject(error: unknown): void
}

const maxInBatch = 200

/**
 * Commits in groups: changes that arrive while one transaction runs go into the next one. So a thousand changes at once need few commits,
 * and a change resolves only when it is durable.
 */
export class LedgerBatches {
  readonly #database: Kysely<Tables>
  #waiting: Waiting[] = []
  #running: readonly Waiting[] = []
  #isRunning = false
  #tick = 0
  /** When the transaction that runs began, in ticks. */
  #begunAt = 0

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  /**
   * Throws if the transaction fails; then it may still have been committed, if the connection broke at the wrong moment. Throws a
   * `Standstill` if it takes longer than `patienceMs`, and at once while a transaction runs that has taken as long.
   */
  run<T>(change: LedgerChange<T>, { patienceMs = Infinity } = {}): Promise<T> {
    if (this.#isRunning && (this.#tick - this.#begunAt) * tickMs >= patienceMs) return Promise.reject(new Standstill(false, patienceMs))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.push({ change, patienceMs, lastTick: this.#tick + Math.ceil(patienceMs / tickMs), resolve, reject })
    if (!this.#isRunning) void this.#drain()
    return promise
  }

  async #drain(): Promise<void> {
    this.#isRunning = true
    this.#begunAt = this.#tick
    const answered = everyTick(() => this.#losePatience(++this.#tick))
    // The rest of this turn of the event loop may bring more.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxInBatch)
      this.#running = batch
      this.#begunAt = this.#tick
      try {
        const results = await this.#commit(batch.map(({ change }) => change))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    answered()
    this.#running = []
    this.#isRunning = false
  }

  #losePatience(tick: number): void {
    const isLate = ({ lastTick }: Waiting): boolean => tick >= lastTick
    for (const { patienceMs, reject } of this.#running.filter(isLate)) reject(new Standstill(true, patienceMs))
    const late = this.#waiting.filter(isLate)
    if (late.length === 0) return
    this.#waiting = this.#waiting.filter(waiting => !isLate(waiting))
    for (const { patienceMs, reject } of late) reject(new Standstill(false, patienceMs))
  }

  async #commit(changes: readonly LedgerChange<unknown>[]): Promise<readonly unknown[]> {
    return await this.#database.transaction().execute(async transaction => {
      const holds = await readHolds(
        transaction,
        changes.flatMap(({ hold }) => hold ?? []),
      )
      const known = [...holds.values()]
      const names = [...changes.flatMap(change => change.names ?? []), ...known.flatMap(({ sums }) => sums)]
      const orgs = [...changes.flatMap(change => change.orgs ?? []), ...known.flatMap(({ credit_org }) => credit_org ?? [])]
      const entries = changes.flatMap(({ entry }) => entry ?? [])
      const sums = await LockedSums.lock(transaction, names, orgs, entries)
      const written = new Map<string, HoldRow | 'delete'>()
      const results: unknown[] = []
      for (const change of changes) {
        const before = change.hold === undefined ? undefined : (written.get(change.hold) ?? holds.get(change.hold))
        const { result, hold } = change.apply(sums, before === 'delete' ? undefined : before)
        if (hold === 'delete') written.set(change.hold!, hold)
        else if (hold) written.set(hold.id, hold)
        results.push(result)
      }
      await sums.write(transaction)
      await writeHolds(transaction, written)
      return results
    })
  }
}

async function readHolds(transaction: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, HoldRow>> {
  if (ids.length === 0) return new Map()
  const query = transaction
    .selectFrom('credit_hold')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .orderBy('id')
  const rows = await forUpdate(transaction, query).execute()
  return new Map(rows.map(row => [row.id, { ...row, sums: JSON.parse(row.sums) }]))
}

async function writeHolds(transaction: Kysely<Tables>, written: ReadonlyMap<string, HoldRow | 'delete'>): Promise<void> {
  const deleted = [...written].filter(([, hold]) => hold === 'delete').map(([id]) => id)
  if (deleted.length > 0) await transaction.deleteFrom('credit_hold').where('id', 'in', deleted).execute()
  const kept = [...written.values()].filter(hold => hold !== 'delete')
  if (kept.length === 0) return
  await transaction
    .insertInto('credit_hold')
    .values(kept.map(hold => ({ ...hold, sums: JSON.stringify(hold.sums) })))
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet(({ ref }) => ({ amount: ref('excluded.amount'), expired_at: ref('excluded.expired_at') })),
    )
    .execute()
}
