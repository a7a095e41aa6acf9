import { sql, type Kysely } from 'kysely'
import type { Clock } from '../../../core/index.ts'
import { inOrder } from './in-order.ts'
import type { RateWindowTable, Tables } from './tables.ts'

/** Databases limit the parameters of a statement. */
const maxInStatement = 500

/** The windows that gateways share. Rows tell their end by the clock of the database; callers do so by that of this machine. */
export class WindowRows {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>
  readonly #machine: Clock
  readonly #shared: Clock

  /** `shared`: the clock of the database. */
  constructor(database: Kysely<Tables>, reader: Kysely<Tables>, machine: Clock, shared: Clock) {
    this.#database = database
    this.#reader = reader
    this.#machine = machine
    this.#shared = shared
  }

  /** The windows of these buckets that have not ended. */
  async read(buckets: readonly string[]): Promise<readonly RateWindowTable[]> {
    const rows = this.#reader.selectFrom('rate_window').selectAll().where('bucket', 'in', buckets)
    const found = await rows.where('ends_at', '>', this.#shared.now()).execute()
    return moved(found.map(notNegative), -this.#aheadMs)
  }

  /**
   * Adds `used` to the windows, or begins them anew if they have ended, all in one transaction. Returns them as they are then. Pass them in
   * the order of their buckets, so that gateways that save at the same time lock the rows in the same order.
   */
  async add(changes: readonly RateWindowTable[]): Promise<readonly RateWindowTable[]> {
    const now = this.#shared.now()
    const aheadMs = this.#aheadMs
    // A refund can be more than the row has, if the row was lost meanwhile.
    const used = sql`case when rate_window.used > 0 then rate_window.used else 0 end + excluded.used`
    const fresh = sql`case when excluded.used > 0 then excluded.used else 0 end`
    return await this.#database.transaction().execute(async transaction => {
      const statements = inGroups(moved(changes, aheadMs)).map(group =>
        transaction
          .insertInto('rate_window')
          .values(group)
          .onConflict(conflict =>
            conflict.column('bucket').doUpdateSet({
              used: sql`case when rate_window.ends_at > ${now} then ${used} else ${fresh} end`,
              ends_at: sql`case when rate_window.ends_at > ${now} then rate_window.ends_at else excluded.ends_at end`,
            }),
          )
          .returningAll()
          .compile(),
      )
      const rows = (await inOrder(transaction, statements)) as readonly (readonly RateWindowTable[])[]
      return moved(rows.flat().map(notNegative), -aheadMs)
    })
  }

  /** How far the clock of the database is ahead of this machine's. */
  get #aheadMs(): number {
    return this.#shared.now() - this.#machine.now()
  }
}

function moved(rows: readonly RateWindowTable[], byMs: number): readonly RateWindowTable[] {
  return rows.map(row => ({ ...row, ends_at: row.ends_at + byMs }))
}

function notNegative(row: RateWindowTable): RateWindowTable {
  return row.used < 0 ? { ...row, used: 0 } : row
}

function inGroups(rows: readonly RateWindowTable[]): readonly (readonly RateWindowTable[])[] {
  return Array.from({ length: Math.ceil(rows.length / maxInStatement) }, (_, index) =>
    rows.slice(index * maxInStatement, (index + 1) * maxInStatement),
  )
}
