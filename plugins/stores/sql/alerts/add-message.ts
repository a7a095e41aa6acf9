import type { Kysely } from 'kysely'
import type { AlertMessageLimit, NewAlertMessage } from '../../../../core/stores.ts'
import { databaseIn, databaseNow } from '../database-now.ts'
import { forUpdate } from '../for-update.ts'
import type { Tables } from '../tables.ts'
import { newMessage } from './message-rows.ts'

/** See `AlertOutbox.add`. The row of the target's use lets one process at a time add to it. */
export async function addMessage(
  transaction: Kysely<Tables>,
  { id, target, org, kind, alert }: NewAlertMessage,
  { most, windowMs }: AlertMessageLimit,
): Promise<'added' | 'left-out' | 'known' | 'ended'> {
  await transaction
    .insertInto('alert_target_use')
    .values({ target, org, digest_at: null, ended_at: null })
    .onConflict(conflict => conflict.column('target').doNothing())
    .execute()
  const use = await forUpdate(
    transaction,
    transaction.selectFrom('alert_target_use').selectAll().where('target', '=', target),
  ).executeTakeFirstOrThrow()
  if (use.ended_at !== null) return 'ended'
  if (await transaction.selectFrom('alert_message').select('id').where('id', '=', id).executeTakeFirst()) return 'known'
  const recent = await transaction
    .selectFrom('alert_message')
    .select('at')
    .where('target', '=', target)
    .where('state', 'in', ['waiting', 'delivered', 'failed'])
    .where('at', '>', databaseIn(transaction, -windowMs))
    .orderBy('at', 'desc')
    .limit(most)
    .execute()
  const now = databaseNow(transaction)
  const row = { ...newMessage, id, target, org, kind, alert_id: alert, digest: null, at: now, since: now }
  if (recent.length < most) {
    const fills_limit = recent.length === most - 1 ? 1 : 0
    await transaction
      .insertInto('alert_message')
      .values({ ...row, fills_limit, state: 'waiting', due_at: now })
      .execute()
    return 'added'
  }
  await transaction
    .insertInto('alert_message')
    .values({ ...row, state: 'left-out', due_at: null })
    .execute()
  // There is room again when the oldest of them is a window old.
  const digest_at = recent.at(-1)!.at + windowMs
  if (use.digest_at === null) await transaction.updateTable('alert_target_use').set({ digest_at }).where('target', '=', target).execute()
  return 'left-out'
}
