import type { Kysely } from 'kysely'
import { forUpdate } from '../for-update.ts'
import type { Tables } from '../tables.ts'
import { onStandstill, Standstill } from '../standstill.ts'
import { LockedSums, type CreditHoldTable, type SumName } from './sums.ts'

/** One change to the ledger. Many run in one transaction. */
export interface LedgerChange<T> {
  /** What to lock, beside that of the holds. */
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
  readonly isPatient: boolean
  resolve(result: any): void
  reject(error: unknown): void
}

const mostInBatch = 200

/**
 * Commits in groups: what arrives while one transaction runs goes into the next one. So a thousand changes at once need few commits, and a
 * change resolves only when it is durable.
 */
export class LedgerBatches {
  readonly #database: Kysely<Tables>
  #waiting: Waiting[] = []
  #isRunning = false
  #standsStill = false

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  /**
   * Throws if the transaction fails; then it may still have been committed, if the connection broke at the wrong moment. Without patience,
   * it throws a `Standstill` if the database stands still.
   */
  run<T>(change: LedgerChange<T>, { isPatient = true } = {}): Promise<T> {
    if (this.#standsStill && !isPatient) return Promise.reject(new Standstill(false))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.push({ change, isPatient, resolve, reject })
    if (!this.#isRunning) void this.#drain()
    return promise
  }

  async #drain(): Promise<void> {
    this.#isRunning = true
    // The rest of this turn of the event loop may bring more.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, mostInBatch)
      const answered = onStandstill(() => this.#standStill(batch))
      try {
        const results = await this.#commit(batch.map(({ change }) => change))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      } finally {
        answered()
        this.#standsStill = false
      }
    }
    this.#isRunning = false
  }

  #standStill(batch: readonly Waiting[]): void {
    this.#standsStill = true
    for (const { isPatient, reject } of batch) if (!isPatient) reject(new Standstill(true))
    for (const { isPatient, reject } of this.#waiting) if (!isPatient) reject(new Standstill(false))
    this.#waiting = this.#waiting.filter(({ isPatient }) => isPatient)
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
