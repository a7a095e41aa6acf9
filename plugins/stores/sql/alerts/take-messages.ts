import type { ExpressionBuilder, Kysely } from 'kysely'
import { digestMessage, maxTakenMessages, type AlertKind, type TakenMessage } from '../../../../core/stores.ts'
import { databaseIn, databaseNow, databaseTime } from '../database-now.ts'
import { forUpdate } from '../for-update.ts'
import type { Tables } from '../tables.ts'
import { messageFromRow, newMessage } from './message-rows.ts'

/** Usually nothing is due, which a reader can tell without a transaction. */
export async function isAnyDue(reader: Kysely<Tables>, targets: readonly string[]): Promise<boolean> {
  const message = reader.selectFrom('alert_message').select('id').where('due_at', '<=', databaseTime(reader)).where(ownedBy(targets))
  if (await message.limit(1).executeTakeFirst()) return true
  const digest = reader.selectFrom('alert_target_use').select('target').where('digest_at', '<=', databaseTime(reader))
  return (await digest.where(ownedBy(targets)).limit(1).executeTakeFirst()) !== undefined
}

/** See `AlertOutbox.take`. */
export async function takeMessages(
  transaction: Kysely<Tables>,
  targets: readonly string[],
  forMs: number,
): Promise<readonly TakenMessage[]> {
  const digests = transaction.selectFrom('alert_target_use').selectAll().where('digest_at', '<=', databaseTime(transaction))
  for (const { target, org } of await forUpdate(transaction, digests.where(ownedBy(targets)).limit(maxTakenMessages)).execute())
    await addDigest(transaction, target, org)
  const due = (most: number) =>
    transaction
      .selectFrom('alert_message')
      .selectAll()
      .select(databaseNow(transaction).as('now'))
      .where('due_at', '<=', databaseTime(transaction))
      .orderBy('due_at')
      .orderBy('id')
      .limit(most)
  // Organizations may have very many that are due, to targets that hang.
  const own = targets.length === 0 ? [] : await forUpdate(transaction, due(maxTakenMessages).where('target', 'in', targets)).execute()
  const others = due(maxTakenMessages - own.length).where('org', 'is not', null)
  const rows = own.length === maxTakenMessages ? own : [...own, ...(await forUpdate(transaction, others).execute())]
  for (const { id, tries, fence } of rows)
    await transaction
      .updateTable('alert_message')
      .set({ due_at: databaseIn(transaction, forMs), tries: tries + 1, fence: fence + 1 })
      .where('id', '=', id)
      .execute()
  return rows.map(row => ({
    message: { ...messageFromRow(row), tries: row.tries + 1 },
    fence: row.fence + 1,
    ageMs: Math.max(0, Number(row.now) - row.since),
  }))
}

/** Those of organizations, and some of the operator. */
function ownedBy(targets: readonly string[]) {
  return ({ eb, or }: ExpressionBuilder<Tables, 'alert_message'> | ExpressionBuilder<Tables, 'alert_target_use'>) => {
    const ofOrganization = (eb as ExpressionBuilder<Tables, 'alert_message'>)('org', 'is not', null)
    return targets.length === 0
      ? ofOrganization
      : or([ofOrganization, (eb as ExpressionBuilder<Tables, 'alert_message'>)('target', 'in', targets)])
  }
}

async function addDigest(transaction: Kysely<Tables>, target: string, org: string | null): Promise<void> {
  await transaction.updateTable('alert_target_use').set({ digest_at: null }).where('target', '=', target).execute()
  const rows = await transaction
    .updateTable('alert_message')
    .set({ counted: 1 })
    .where('target', '=', target)
    .where('state', '=', 'left-out')
    .where('counted', '=', 0)
    .returning(['kind', 'about', 'at', databaseNow(transaction).as('now')])
    .execute()
  if (rows.length === 0) return
  const leftOut = rows.map(row => ({ ...row, kind: row.kind as AlertKind }))
  const { id, kind, about, digest, state, at } = digestMessage({ target, org }, leftOut, Number(rows[0]!.now))
  await transaction
    .insertInto('alert_message')
    .values({
      ...newMessage,
      id,
      target,
      org,
      kind,
      about,
      alert_id: null,
      digest: JSON.stringify(digest),
      state,
      at,
      since: at,
      due_at: at,
    })
    .execute()
}
