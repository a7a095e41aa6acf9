import { sql, type Kysely } from 'kysely'
import type { Logger } from '../../../core/index.ts'
import type {
  AppendOutcome,
  Appending,
  ConversationAddress,
  ConversationChange,
  ConversationLease,
  ConversationStore,
  ItemPage,
  ItemPageQuery,
  KeptItem,
  StoredConversation,
} from '../../../core/stores.ts'
import { columnId } from './column-id.ts'
import { ConversationParts } from './conversation-parts.ts'
import { databaseIn } from './database-now.ts'
import {
  grow,
  insertItems,
  isFree,
  refOf,
  removeConversation,
  rowOf,
  stateOf,
  takenIds,
  type ConversationRef,
  type NewItemRow,
} from './conversation-rows.ts'
import type { SealedParts } from './sealed-parts.ts'
import type { Tables } from './tables.ts'

/** A longer page would hold up other requests while it is read and opened. */
const maxPageBytes = 4 * 1024 * 1024

/**
 * Items and metadata are encrypted. The ids of a conversation, of its owner and of its items are not. Every change is one transaction, which
 * goes through only if the row of the conversation is as it must be; leases end by the clock of the database.
 */
export class SqlConversations implements ConversationStore {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>
  readonly #parts: ConversationParts

  constructor(database: Kysely<Tables>, parts: SealedParts, log: Logger, reader = database) {
    this.#database = database
    this.#reader = reader
    this.#parts = new ConversationParts(parts, log)
  }

  async create(owner: string, { id, org, metadata, createdAt }: StoredConversation, items: readonly KeptItem[]): Promise<void> {
    const ref = refOf({ owner, id })
    const rows = await this.#parts.sealItems(ref, org, items)
    const row = {
      owner: ref.owner,
      id: ref.id,
      org,
      created_at: createdAt,
      fence: 0,
      leased_until: null,
      next_position: rows.length,
      items: rows.length,
      bytes: bytesOf(rows),
      metadata: await this.#parts.seal(ref, org, metadata),
    }
    await this.#database.transaction().execute(async transaction => {
      await transaction.insertInto('conversation').values(row).execute()
      await insertItems(transaction, ref, rows, 0)
    })
  }

  async get(at: ConversationAddress): Promise<StoredConversation | undefined> {
    const ref = refOf(at)
    const row = await rowOf(this.#reader, ref).select(['org', 'created_at', 'metadata']).executeTakeFirst()
    if (!row) return undefined
    const { org, created_at: createdAt } = row
    const metadata = await this.#parts.open(ref, org, row.metadata)
    return metadata && { id: at.id, org, metadata: metadata as StoredConversation['metadata'], createdAt }
  }

  async setMetadata(at: ConversationAddress, metadata: StoredConversation['metadata']): Promise<boolean> {
    const ref = refOf(at)
    const org = await this.#orgOf(ref)
    if (org === undefined) return false
    const sealed = await this.#parts.seal(ref, org, metadata)
    const { numUpdatedRows } = await this.#database
      .updateTable('conversation')
      .set({ metadata: sealed })
      .where('owner', '=', ref.owner)
      .where('id', '=', ref.id)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }

  async delete(at: ConversationAddress): Promise<ConversationChange> {
    const ref = refOf(at)
    return await this.#database.transaction().execute(async transaction => {
      if (await removeConversation(transaction, ref)) return 'done'
      return (await stateOf(transaction, ref)) ? 'busy' : 'unknown'
    })
  }

  async items(at: ConversationAddress): Promise<readonly KeptItem[] | undefined> {
    const ref = refOf(at)
    const org = await this.#orgOf(ref)
    if (org === undefined) return undefined
    const rows = await this.#itemRows(ref).orderBy('position').execute()
    const items = await this.#parts.openItems(ref, org, rows)
    // A run must not go on without a part of its conversation.
    return items.length === rows.length ? items : undefined
  }

  async page(at: ConversationAddress, { limit, order, after }: ItemPageQuery): Promise<ItemPage | undefined> {
    const ref = refOf(at)
    const org = await this.#orgOf(ref)
    if (org === undefined) return undefined
    let query = this.#reader
      .selectFrom('conversation_item')
      .select(['position', sql<number>`length(item)`.as('bytes')])
      .where('conversation', '=', ref.key)
      .orderBy('position', order)
      .limit(limit + 1)
    if (after !== undefined) {
      const last = await this.#itemRows(ref).select('position').where('item_id', '=', columnId(after)).executeTakeFirst()
      if (!last) return undefined
      query = query.where('position', order === 'asc' ? '>' : '<', last.position)
    }
    const listed = await query.execute()
    const shown = fitting(listed.slice(0, limit))
    if (shown.length === 0) return { items: [], hasMore: false }
    const positions = shown.map(({ position }) => position)
    const rows = await this.#itemRows(ref).where('position', 'in', positions).orderBy('position', order).execute()
    return { items: await this.#parts.openItems(ref, org, rows), hasMore: shown.length < listed.length }
  }

  async item(at: ConversationAddress, itemId: string): Promise<KeptItem | undefined> {
    const ref = refOf(at)
    const org = await this.#orgOf(ref)
    if (org === undefined) return undefined
    const rows = await this.#itemRows(ref).where('item_id', '=', columnId(itemId)).execute()
    return (await this.#parts.openItems(ref, org, rows))[0]
  }

  async append(at: ConversationAddress, items: readonly KeptItem[], { fence, room }: Appending): Promise<AppendOutcome> {
    const ref = refOf(at)
    const org = await this.#orgOf(ref)
    if (org === undefined) return 'unknown'
    const rows = await this.#parts.sealItems(ref, org, items)
    try {
      return await this.#database.transaction().execute(async (transaction): Promise<AppendOutcome> => {
        const first = await grow(transaction, ref, { items: rows.length, bytes: bytesOf(rows), fence, room })
        if (first === undefined) {
          const state = await stateOf(transaction, ref)
          if (!state) return 'unknown'
          if (fence === undefined) return state.isFree ? 'full' : 'busy'
          return state.fence === fence ? 'full' : 'lost'
        }
        const taken = await takenIds(
          transaction,
          ref,
          rows.map(({ id }) => id),
        )
        if (taken.size > 0) throw new TakenIds(taken)
        await insertItems(transaction, ref, rows, first)
        return 'done'
      })
    } catch (error) {
      if (error instanceof TakenIds) return items.map(({ id }) => id).filter(id => error.ids.has(columnId(id)))
      throw error
    }
  }

  async deleteItem(at: ConversationAddress, itemId: string): Promise<ConversationChange> {
    const ref = refOf(at)
    return await this.#database.transaction().execute(async transaction => {
      // Before the row of the item, in the order in which all take the locks.
      if ((await grow(transaction, ref, { items: 0, bytes: 0 })) === undefined)
        return (await stateOf(transaction, ref)) ? await this.#busyWith(transaction, ref, itemId) : 'unknown'
      const deleted = await transaction
        .deleteFrom('conversation_item')
        .where('conversation', '=', ref.key)
        .where('item_id', '=', columnId(itemId))
        .returning(sql<number>`length(item)`.as('bytes'))
        .executeTakeFirst()
      if (!deleted) return 'unknown'
      await grow(transaction, ref, { items: -1, bytes: -Number(deleted.bytes) })
      return 'done'
    })
  }

  async acquire(at: ConversationAddress, leaseMs: number): Promise<ConversationLease | 'unknown' | 'busy'> {
    const ref = refOf(at)
    const row = await this.#database
      .updateTable('conversation')
      .set(({ eb }) => ({ fence: eb('fence', '+', 1), leased_until: databaseIn(this.#database, leaseMs) }))
      .where('owner', '=', ref.owner)
      .where('id', '=', ref.id)
      .where(isFree(this.#database))
      .returning(['fence', 'items', 'bytes'])
      .executeTakeFirst()
    if (row) return { fence: row.fence, held: { items: row.items, bytes: row.bytes } }
    return (await stateOf(this.#database, ref)) ? 'busy' : 'unknown'
  }

  async renew(at: ConversationAddress, fence: number, leaseMs: number): Promise<boolean> {
    return await this.#setLease(at, fence, { leased_until: databaseIn(this.#database, leaseMs) })
  }

  async release(at: ConversationAddress, fence: number): Promise<boolean> {
    return await this.#setLease(at, fence, { leased_until: null, fence: fence + 1 })
  }

  async #setLease(at: ConversationAddress, fence: number, change: object): Promise<boolean> {
    const { owner, id } = refOf(at)
    const update = this.#database.updateTable('conversation').set(change).where('owner', '=', owner).where('id', '=', id)
    return (await update.where('fence', '=', fence).executeTakeFirstOrThrow()).numUpdatedRows > 0n
  }

  /** An item that is not there is unknown, even while a run has the conversation. */
  async #busyWith(transaction: Kysely<Tables>, ref: ConversationRef, itemId: string): Promise<ConversationChange> {
    return (await takenIds(transaction, ref, [columnId(itemId)])).size > 0 ? 'busy' : 'unknown'
  }

  async #orgOf(ref: ConversationRef): Promise<string | undefined> {
    return (await rowOf(this.#reader, ref).select('org').executeTakeFirst())?.org
  }

  #itemRows({ key }: ConversationRef) {
    return this.#reader.selectFrom('conversation_item').select(['item_id', 'item']).where('conversation', '=', key)
  }
}

/** The first of the rows that fit into a page, and at least one. */
function fitting<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0
  const over = rows.findIndex((row, index) => (bytes += Number(row.bytes)) > maxPageBytes && index > 0)
  return over < 0 ? rows : rows.slice(0, over)
}

/** Undoes a transaction. */
class TakenIds extends Error {
  readonly ids: ReadonlySet<string>

  constructor(ids: ReadonlySet<string>) {
    super('ids are taken')
    this.ids = ids
  }
}

function bytesOf(rows: readonly NewItemRow[]): number {
  return rows.reduce((sum, { item }) => sum + item.byteLength, 0)
}
