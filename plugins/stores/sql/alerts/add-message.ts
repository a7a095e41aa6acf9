import type { Kysely } from 'kysely'
import { roomFor, type AlertMessageLimit, type NewAlertMessage } from '../../../../core/stores.ts'
import { databaseIn, databaseNow } from '../database-now.ts'
import { forUpdate } from '../for-update.ts'
import type { Tables } from '../tables.ts'
import { filledLimits, newMessage } from './message-rows.ts'

/** See `AlertOutbox.add`. The row of the target's use lets one process at a time add to it. */
export async function addMessage(
  transaction: Kysely<Tables>,
  { id, target, org, kind, about, alert }: NewAlertMessage,
  limit: AlertMessageLimit,
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
    .select(['at', 'about'])
    .where('target', '=', target)
    .where('state', 'in', ['waiting', 'delivered', 'failed'])
    .where('at', '>', databaseIn(transaction, -limit.windowMs))
    .orderBy('at', 'desc')
    .limit(limit.most)
    .execute()
  const now = databaseNow(transaction)
  const row = { ...newMessage, id, target, org, kind, about, alert_id: alert, digest: null, at: now, since: now }
  const room = roomFor(about, recent, limit)
  if (room.roomAt === undefined) {
    const fills_limit = room.fills === null ? 0 : filledLimits.indexOf(room.fills) + 1
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
  const digest_at = Math.min(use.digest_at ?? Infinity, room.roomAt)
  if (digest_at !== use.digest_at)
    await transaction.updateTable('alert_target_use').set({ digest_at }).where('target', '=', target).execute()
  return 'left-out'
}
