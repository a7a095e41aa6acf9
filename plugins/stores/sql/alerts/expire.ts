import type { Kysely } from 'kysely'
import { keepAlertsMs, maxAlertsOfOrganization } from '../../../../core/stores.ts'
import { databaseIn, databaseTime } from '../database-now.ts'
import type { Tables } from '../tables.ts'

/** Small, so that nothing waits long for the database. */
const rowsInBatch = 500

/** Deletes alerts that are too old or too many, with their deliveries, and claims and silences that have ended. */
export async function expireAlerts(database: Kysely<Tables>): Promise<void> {
  for (;;) {
    const old = database.selectFrom('alert').select('id').where('at', '<=', databaseIn(database, -keepAlertsMs))
    if ((await remove(database, await old.limit(rowsInBatch).execute())) < rowsInBatch) break
  }
  const crowded = await database
    .selectFrom('alert')
    .select('org')
    .groupBy('org')
    .having(({ eb, fn }) => eb(fn.countAll<number>(), '>', maxAlertsOfOrganization))
    .execute()
  for (const { org } of crowded) {
    for (;;) {
      const oldest = database
        .selectFrom('alert')
        .select('id')
        .where('org', org === null ? 'is' : '=', org)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .offset(maxAlertsOfOrganization)
      if ((await remove(database, await oldest.limit(rowsInBatch).execute())) < rowsInBatch) break
    }
  }
  await database.deleteFrom('alert_claim').where('ends_at', '<=', databaseTime(database)).execute()
  await database.deleteFrom('alert_silence').where('ends_at', '<=', databaseTime(database)).execute()
}

async function remove(database: Kysely<Tables>, rows: readonly { readonly id: string }[]): Promise<number> {
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    await database.transaction().execute(async transaction => {
      await transaction.deleteFrom('alert_delivery').where('alert_id', 'in', ids).execute()
      await transaction.deleteFrom('alert').where('id', 'in', ids).execute()
    })
  return ids.length
}
