import type { CompiledQuery, Kysely } from 'kysely'
import type { Item } from '../../../core/index.ts'
import type { Turn } from '../../../core/stores.ts'
import { columnId } from './column-id.ts'
import { inOrder } from './in-order.ts'
import { movedFromBytes } from './sqlite/connection.ts'
import type { ResponseItemTable, ResponseTable, Tables } from './tables.ts'

type KeptItem = Item & { readonly id: string }

/** A response to insert, with the items to index. */
export interface Added {
  readonly row: ResponseTable
  readonly turn: Turn
}

/** SQLite allows 32,766 parameters in a statement. */
const rowsInStatement = 1_000

export function itemsOf({ input, output }: Turn): readonly KeptItem[] {
  return [...input, ...output] as readonly KeptItem[]
}

/** Replaces responses that are there already. Call it within a transaction. */
export async function insertResponses(transaction: Kysely<Tables>, added: readonly Added[]): Promise<void> {
  if (added.length === 0) return
  const rows = added.map(({ row }) => row)
  // They can be sent only once.
  for (const { owner, id } of rows.filter(isLarge)) await removeResponse(transaction, owner, id)
  const insertion = transaction
    .insertInto('response')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
  const [inserted] = await inOrder(transaction, [insertion.returning(['owner', 'id']).compile(), ...indexing(transaction, added)])
  const fresh = new Set((inserted as readonly ResponseTable[]).map(addressOf))
  for (const each of added) {
    if (fresh.delete(addressOf(each.row))) continue
    await removeResponse(transaction, each.row.owner, each.row.id)
    await inOrder(transaction, [transaction.insertInto('response').values(each.row).compile(), ...indexing(transaction, [each])])
  }
}

/** Items that an earlier response also has now belong to the later one. */
function indexing(transaction: Kysely<Tables>, added: readonly Added[]): readonly CompiledQuery[] {
  const holders = new Map<string, ResponseItemTable>()
  for (const { row, turn } of added)
    for (const item of itemsOf(turn)) {
      const entry = { owner: row.owner, item_id: columnId(item.id), response_id: row.id }
      holders.set(JSON.stringify([entry.owner, entry.item_id]), entry)
    }
  // Sorted, so that two transactions never wait for each other.
  const entries = [...holders].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry)
  return pieces(entries).map(piece =>
    transaction
      .insertInto('response_item')
      .values(piece)
      .onConflict(conflict =>
        conflict.columns(['owner', 'item_id']).doUpdateSet(({ ref }) => ({ response_id: ref('excluded.response_id') })),
      )
      .compile(),
  )
}

function isLarge({ conversation, body }: ResponseTable): boolean {
  return conversation.byteLength >= movedFromBytes || body.byteLength >= movedFromBytes
}

function addressOf({ owner, id }: Pick<ResponseTable, 'owner' | 'id'>): string {
  return JSON.stringify([owner, id])
}

/** Item ids by the id of the response that has them. They are in the form of `columnId`. */
export async function readIndex(
  database: Kysely<Tables>,
  owner: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const holders = new Map<string, Set<string>>()
  for (const ids of pieces([...new Set(itemIds.map(columnId))])) {
    const rows = await database
      .selectFrom('response_item')
      .select(['item_id', 'response_id'])
      .where('owner', '=', owner)
      .where('item_id', 'in', ids)
      .execute()
    for (const { item_id, response_id } of rows) {
      const held = holders.get(response_id)
      if (held) held.add(item_id)
      else holders.set(response_id, new Set([item_id]))
    }
  }
  return holders
}

/** Deletes a response and its items. Call it within a transaction. False if the response does not exist. */
export async function removeResponse(transaction: Kysely<Tables>, owner: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('response')
    .where('owner', '=', owner)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await transaction.deleteFrom('response_item').where('owner', '=', owner).where('response_id', '=', id).execute()
  return true
}

/** In pieces that fit into a statement. */
function pieces<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / rowsInStatement) }, (_, index) =>
    all.slice(index * rowsInStatement, (index + 1) * rowsInStatement),
  )
}
