import type { Kysely } from 'kysely'
import type { Alert } from '../../../../core/admin.ts'
import { toldTo, type AlertClaim, type ToldTo } from '../../../../core/stores.ts'
import { databaseIn, databaseNow, databaseTime } from '../database-now.ts'
import type { Tables } from '../tables.ts'
import { silenceFromRow } from './rows.ts'

/** Takes all of the names. False, and nothing changes, if the first one is taken. */
export async function claim(transaction: Kysely<Tables>, [first, ...others]: readonly AlertClaim[]): Promise<boolean> {
  if (!first) return true
  const taken = await transaction
    .insertInto('alert_claim')
    .values({ name: first.name, ends_at: databaseIn(transaction, first.forMs) })
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet(({ ref }) => ({ ends_at: ref('excluded.ends_at') }))
        .where('alert_claim.ends_at', '<=', databaseTime(transaction)),
    )
    .returning('name')
    .executeTakeFirst()
  if (!taken) return false
  for (const { name, forMs } of others)
    await transaction
      .insertInto('alert_claim')
      .values({ name, ends_at: databaseIn(transaction, forMs) })
      .onConflict(conflict =>
        conflict
          .column('name')
          .doUpdateSet(({ ref }) => ({ ends_at: ref('excluded.ends_at') }))
          .whereRef('alert_claim.ends_at', '<', 'excluded.ends_at'),
      )
      .execute()
  return true
}

/** Adds an alert, with its deliveries, and ends the one that it resolves. */
export async function keepAlert(transaction: Kysely<Tables>, alert: Alert, channels: readonly string[]): Promise<void> {
  const now = databaseNow(transaction)
  const { resolves } = alert
  const silences = await transaction.selectFrom('alert_silence').selectAll().where('ends_at', '>', databaseTime(transaction)).execute()
  const earlier = resolves === null ? undefined : await resolve(transaction, resolves)
  const { audience, silencedBy } = toldTo(alert, silences.map(silenceFromRow), earlier)
  await transaction
    .insertInto('alert')
    .values({
      ...alert,
      facts: JSON.stringify(alert.facts),
      resolved_at: resolves === null ? null : now,
      acknowledged_at: null,
      acknowledged_by: null,
      silenced_by: silencedBy,
      audience,
    })
    .execute()
  if (audience === 'nobody' || channels.length === 0) return
  const delivery = { alert_id: alert.id, raised_at: now, due_at: now, tries: 0, audience }
  await transaction
    .insertInto('alert_delivery')
    .values(channels.map(channel => ({ ...delivery, channel })))
    .execute()
}

/** Returns who was told of it. */
async function resolve(transaction: Kysely<Tables>, id: string): Promise<ToldTo | undefined> {
  await transaction
    .updateTable('alert')
    .set({ resolved_at: databaseNow(transaction) })
    .where('id', '=', id)
    .where('resolved_at', 'is', null)
    .execute()
  const row = await transaction.selectFrom('alert').select(['audience', 'silenced_by']).where('id', '=', id).executeTakeFirst()
  return row && { audience: row.audience as ToldTo['audience'], silencedBy: row.silenced_by }
}
