import { sql, type Kysely } from 'kysely'
import { inOrder } from './in-order.ts'
import type { RateWindowTable, Tables } from './tables.ts'

/** Databases limit the parameters of a statement. */
const maxInStatement = 500

/** The windows of these buckets that have not ended. */
export async function readWindows(database: Kysely<Tables>, buckets: readonly string[], now: number): Promise<readonly RateWindowTable[]> {
  const rows = database.selectFrom('rate_window').selectAll().where('bucket', 'in', buckets).where('ends_at', '>', now)
  return (await rows.execute()).map(notNegative)
}

/**
 * Adds `used` to the windows, or begins them anew if they have ended, all in one transaction. Returns them as they are then. Pass them in the
 * order of their buckets, so that gateways that save at the same time lock the rows in the same order.
 */
export async function addToWindows(
  database: Kysely<Tables>,
  changes: readonly RateWindowTable[],
  now: number,
): Promise<readonly RateWindowTable[]> {
  // A refund can be more than the row has, if the row was lost meanwhile.
  const used = sql`case when rate_window.used > 0 then rate_window.used else 0 end + excluded.used`
  const fresh = sql`case when excluded.used > 0 then excluded.used else 0 end`
  return await database.transaction().execute(async transaction => {
    const statements = inGroups(changes).map(group =>
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
    return rows.flat().map(notNegative)
  })
}

function notNegative(row: RateWindowTable): RateWindowTable {
  return row.used < 0 ? { ...row, used: 0 } : row
}

function inGroups(rows: readonly RateWindowTable[]): readonly (readonly RateWindowTable[])[] {
  return Array.from({ length: Math.ceil(rows.length / maxInStatement) }, (_, index) =>
    rows.slice(index * maxInStatement, (index + 1) * maxInStatement),
  )
}
