import { sql, type Kysely } from 'kysely'
import type { RequestRecord } from '../../../../core/index.ts'
import { columnId } from '../column-id.ts'
import { isSqlite } from '../migrations/dialect.ts'
import type { Tables } from '../tables.ts'

// Content may be erased before its record arrives: records wait in a queue for a moment, perhaps that of another gateway.

/** Any number: it names the lock among those of this database. */
const lockId = 1_380_012_021

export async function eraseContent(database: Kysely<Tables>, ownerName: string, answerId: string, at: number): Promise<void> {
  const owner = columnId(ownerName)
  await database.transaction().execute(async transaction => {
    // After this, every transaction that stores content is either visible or sees the row.
    if (!isSqlite(transaction)) await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(transaction)
    await transaction
      .insertInto('erased_answer')
      .values({ owner, answer_id: columnId(answerId), at })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    const records = transaction.selectFrom('record').select('id').where('answer_id', '=', answerId).where('owner', '=', ownerName)
    await transaction.deleteFrom('record_content').where('id', 'in', records).execute()
  })
}

/** The ids of the records whose content was erased before. Until the transaction ends, no content is erased. */
export async function erasedAmong(transaction: Kysely<Tables>, records: readonly RequestRecord[]): Promise<ReadonlySet<string>> {
  const answers = [...new Set(records.flatMap(({ answerId }) => (answerId === null ? [] : [columnId(answerId)])))]
  if (answers.length === 0) return new Set()
  if (!isSqlite(transaction)) await sql`select pg_advisory_xact_lock_shared(${sql.lit(lockId)})`.execute(transaction)
  const rows = await transaction.selectFrom('erased_answer').select(['owner', 'answer_id']).where('answer_id', 'in', answers).execute()
  const isErased = ({ owner, answerId }: RequestRecord): boolean =>
    answerId !== null && owner !== null && rows.some(row => row.answer_id === columnId(answerId) && row.owner === columnId(owner))
  return new Set(rows.length === 0 ? [] : records.filter(isErased).map(({ id }) => id))
}
