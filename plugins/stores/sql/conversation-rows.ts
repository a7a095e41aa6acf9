import { hash } from 'node:crypto'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { ConversationAddress, ConversationRoom } from '../../../core/stores.ts'
import { columnId } from './column-id.ts'
import { databaseNow } from './database-now.ts'
import type { ConversationItemTable, ConversationTable, Tables } from './tables.ts'

/** An address as the columns have it. */
export interface ConversationRef extends ConversationAddress {
  /** Names the conversation in rows of items. Short, because the index has an item's id, too. */
  readonly key: string
}

export interface NewItemRow {
  readonly id: string
  readonly item: Uint8Array
}

/** SQLite allows 32,766 parameters in a statement. */
const rowsInStatement = 1_000

export function refOf(at: ConversationAddress): ConversationRef {
  const [owner, id] = [columnId(at.owner), columnId(at.id)]
  return { owner, id, key: hash('sha256', JSON.stringify([owner, id])) }
}

/** The row of a conversation. */
export function rowOf(database: Kysely<Tables>, { owner, id }: ConversationRef) {
  return database.selectFrom('conversation').where('owner', '=', owner).where('id', '=', id)
}

/** True for a conversation that no run has. */
export function isFree(database: Kysely<Tables>): RawBuilder<boolean> {
  return sql<boolean>`(leased_until is null or leased_until <= ${databaseNow(database)})`
}

export interface ConversationState extends Pick<ConversationTable, 'fence' | 'items' | 'bytes'> {
  readonly isFree: boolean
}

export async function stateOf(database: Kysely<Tables>, ref: ConversationRef): Promise<ConversationState | undefined> {
  const row = await rowOf(database, ref)
    .select(['fence', 'items', 'bytes', isFree(database).as('free')])
    .executeTakeFirst()
  return row && { fence: row.fence, items: row.items, bytes: row.bytes, isFree: Boolean(row.free) }
}

/** The size that a change adds to a conversation. Negative for a deletion. */
export interface Growth {
  readonly items: number
  readonly bytes: number
  /** Of the run that changes it. Without it, no run may have the conversation. */
  readonly fence?: number | undefined
  readonly room?: ConversationRoom | undefined
}

/** Counts a change in, and ends the lease. Returns the position of the first new item, or undefined if the conversation is not as it must be. */
export async function grow(transaction: Kysely<Tables>, { owner, id }: ConversationRef, growth: Growth): Promise<number | undefined> {
  const { items, bytes, fence, room } = growth
  const added = Math.max(0, items)
  let update = transaction
    .updateTable('conversation')
    .set(({ eb }) => ({
      fence: eb('fence', '+', 1),
      leased_until: null,
      next_position: eb('next_position', '+', added),
      items: eb('items', '+', items),
      bytes: eb('bytes', '+', bytes),
    }))
    .where('owner', '=', owner)
    .where('id', '=', id)
  update = fence === undefined ? update.where(isFree(transaction)) : update.where('fence', '=', fence)
  if (room) update = update.where('items', '<=', room.items - items).where('bytes', '<=', room.bytes - bytes)
  const row = await update.returning('next_position').executeTakeFirst()
  return row && row.next_position - added
}

export async function insertItems(
  transaction: Kysely<Tables>,
  { key }: ConversationRef,
  rows: readonly NewItemRow[],
  first: number,
): Promise<void> {
  const values = rows.map(({ id, item }, index): ConversationItemTable => ({
    conversation: key,
    position: first + index,
    item_id: id,
    item,
  }))
  for (const piece of pieces(values)) await transaction.insertInto('conversation_item').values(piece).execute()
}

/** Those of the ids that the conversation has already. */
export async function takenIds(
  transaction: Kysely<Tables>,
  { key }: ConversationRef,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  for (const piece of pieces(ids)) {
    const query = transaction.selectFrom('conversation_item').select('item_id')
    const rows = await query.where('conversation', '=', key).where('item_id', 'in', piece).execute()
    for (const { item_id } of rows) taken.add(item_id)
  }
  return taken
}

/** Deletes a conversation with its items, unless a run has it. Call it within a transaction. */
export async function removeConversation(transaction: Kysely<Tables>, { owner, id, key }: ConversationRef): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('conversation')
    .where('owner', '=', owner)
    .where('id', '=', id)
    .where(isFree(transaction))
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await transaction.deleteFrom('conversation_item').where('conversation', '=', key).execute()
  return true
}

/** In pieces that fit into a statement. */
function pieces<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / rowsInStatement) }, (_, index) =>
    all.slice(index * rowsInStatement, (index + 1) * rowsInStatement),
  )
}
