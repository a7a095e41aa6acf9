import type { Kysely } from 'kysely'
import type { Item, Turn } from '../../../core/index.ts'
import type { Tables } from './database.ts'

export interface ResponseTable {
  readonly owner: string
  readonly id: string
  readonly org: string
  readonly previous_id: string | null
  readonly created_at: number
  /** A sealed `Turn`. */
  readonly conversation: Uint8Array
  /** The sealed object that the client received. */
  readonly body: Uint8Array
}

/** Which response holds an item: the newest that has one of this id. */
export interface ResponseItemTable {
  readonly owner: string
  readonly item_id: string
  readonly response_id: string
}

type KeptItem = Item & { readonly id: string }

/** Databases limit the parameters of a statement: SQLite takes 32,766. */
const idsInStatement = 1_000

export function itemsOf({ input, output }: Turn): readonly KeptItem[] {
  return [...input, ...output] as readonly KeptItem[]
}

/** Enters a response's items; those that an earlier response holds as well are from now on this one's. */
export async function indexItems(database: Kysely<Tables>, owner: string, response: Turn & { readonly id: string }): Promise<void> {
  for (const ids of pieces(itemsOf(response).map(item => item.id))) {
    await database
      .insertInto('response_item')
      .values(ids.map(id => ({ owner, item_id: id, response_id: response.id })))
      .onConflict(conflict =>
        conflict.columns(['owner', 'item_id']).doUpdateSet(({ ref }) => ({ response_id: ref('excluded.response_id') })),
      )
      .execute()
  }
}

/** The ids of items by the id of the response that holds them. */
export async function readIndex(
  database: Kysely<Tables>,
  owner: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const holders = new Map<string, Set<string>>()
  for (const ids of pieces(itemIds)) {
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

/** Within a transaction: a response goes with its items. False when there was none. */
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

/** Each id once, so many at a time. */
function pieces(ids: readonly string[]): readonly (readonly string[])[] {
  const distinct = [...new Set(ids)]
  return Array.from({ length: Math.ceil(distinct.length / idsInStatement) }, (_, index) =>
    distinct.slice(index * idsInStatement, (index + 1) * idsInStatement),
  )
}
