import type { Kysely } from 'kysely'
import type { BackgroundNotice, FinalStatus } from '../../../core/stores.ts'
import { databaseIn, databaseTime } from './database-now.ts'
import { removeBackground } from './background-rows.ts'
import { forUpdate } from './for-update.ts'
import type { Tables } from './tables.ts'

const rowsAtOnce = 50
const noticesAtOnce = 20

/** See `BackgroundStore.takeNotices`. */
export async function takeNotices(database: Kysely<Tables>, forMs: number): Promise<readonly BackgroundNotice[]> {
  return await database.transaction().execute(async transaction => {
    const due = transaction
      .selectFrom('background')
      .select(['owner', 'id', 'status', 'created_at', 'tries'])
      .where('notice_at', '<=', databaseTime(database))
      .orderBy('notice_at')
      .limit(noticesAtOnce)
    const rows = await forUpdate(transaction, due).execute()
    for (const { owner, id, tries } of rows)
      await transaction
        .updateTable('background')
        .set({ notice_at: databaseIn(database, forMs), tries: tries + 1 })
        .where('owner', '=', owner)
        .where('id', '=', id)
        .execute()
    return rows.map(({ owner, id, status, created_at, tries }) => ({
      owner,
      id,
      status: status as FinalStatus,
      createdAt: created_at,
      tries,
    }))
  })
}

/** Returns how many it removed. In small batches, so that nothing waits long for the database. */
export async function removeExpired(database: Kysely<Tables>): Promise<number> {
  let expired = 0
  for (;;) {
    const rows = await database
      .selectFrom('background')
      .select(['owner', 'id'])
      .where('lease_ends_at', 'is', null)
      .where('expires_at', '<', databaseTime(database))
      .limit(rowsAtOnce)
      .execute()
    if (rows.length > 0) await database.transaction().execute(transaction => removeBackground(transaction, rows))
    expired += rows.length
    if (rows.length < rowsAtOnce) return expired
  }
}
