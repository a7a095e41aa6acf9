import type { Kysely } from 'kysely'
import type { Item, Turn } from '../../../core/index.ts'
import { columnId } from './column-id.ts'
import type { Tables } from './tables.ts'

export interface ResponseTable {
  readonly owner: string
  readonly id: string
  readonly org: string
  readonly previous_id: string | null
  readonly created_at: number
  /** A sealed `Turn`. */
  readonly conversation: Uint8Array
  /** The object that the client received, sealed. */
  readonly body: Uint8Array
}

/** The newest response with an item of this id. */
export interface ResponseItemTable {
  readonly owner: string
  readonly item_id: string
  readonly response_id: string
}

type KeptItem = Item & { readonly id: string }

/** SQLite allows 32,766 parameters in a statement. */
const idsInStatement = 1_000

export function itemsOf({ input, output }: Turn): readonly KeptItem[] {
  return [...input, ...output] as readonly KeptItem[]
}

/** Indexes the items of a response. Items that an earlier response also has now belong to this one. */
export async function indexItems(database: Kysely<Tables>, owner: string, responseId: string, turn: Turn): Promise<void> {
  for (const ids of pieces(itemsOf(turn).map(item => columnId(item.id)))) {
    await database
      .insertInto('response_item')
      .values(ids.map(id => ({ owner, item_id: id, response_id: responseId })))
      .onConflict(conflict =>
        conflict.columns(['owner', 'item_id']).doUpdateSet(({ ref }) => ({ response_id: ref('excluded.response_id') })),
      )
      .execute()
  }
}

/** Item ids by the id of the response that has them. They are in the form of `columnId`. */
export async function readIndex(
  database: Kysely<Tables>,
  owner: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const holders = new Map<string, Set<string>>()
  for (const ids of pieces(itemIds.map(columnId))) {
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

/** The distinct ids, in pieces that fit into a statement. Sorted, so that two transactions never wait for each other. */
function pieces(ids: readonly string[]): readonly (readonly string[])[] {
  const distinct = [...new Set(ids)].sort()
  return Array.from({ length: Math.ceil(distinct.length / idsInStatement) }, (_, index) =>
    distinct.slice(index * idsInStatement, (index + 1) * idsInStatement),
  )
}
