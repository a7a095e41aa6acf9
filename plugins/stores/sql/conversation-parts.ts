import { isObject, type JsonObject, type Logger } from '../../../core/index.ts'
import { nextTurn, type KeptItem } from '../../../core/stores.ts'
import { columnId } from './column-id.ts'
import type { ConversationRef, NewItemRow } from './conversation-rows.ts'
import type { Place, SealedParts } from './sealed-parts.ts'
import type { ConversationItemTable } from './tables.ts'

export type SealedItem = Pick<ConversationItemTable, 'item_id' | 'item'>

/** Decrypting so many bytes takes about 2 ms. */
const openedAtOnceBytes = 1024 * 1024

/** Seals and opens the metadata and the items of conversations. */
export class ConversationParts {
  readonly #parts: SealedParts
  readonly #log: Logger

  constructor(parts: SealedParts, log: Logger) {
    this.#parts = parts
    this.#log = log
  }

  seal(ref: ConversationRef, org: string, metadata: object): Promise<Uint8Array> {
    return this.#parts.seal(org, metadataPlace(ref), metadata)
  }

  async open(ref: ConversationRef, org: string, sealed: Uint8Array): Promise<JsonObject | undefined> {
    const metadata = await this.#parts.open(org, metadataPlace(ref), sealed)
    return isObject(metadata) ? metadata : this.#damaged(ref, 'metadata')
  }

  async sealItems(ref: ConversationRef, org: string, items: readonly KeptItem[]): Promise<readonly NewItemRow[]> {
    const rows: NewItemRow[] = []
    for (const item of items) {
      const id = columnId(item.id)
      rows.push({ id, item: await this.#parts.seal(org, itemPlace(ref, id), item) })
    }
    return rows
  }

  /** Without items that cannot be decrypted. */
  async openItems(ref: ConversationRef, org: string, rows: readonly SealedItem[]): Promise<readonly KeptItem[]> {
    const items: KeptItem[] = []
    let bytes = 0
    for (const { item_id, item } of rows) {
      const opened = await this.#parts.open(org, itemPlace(ref, item_id), item)
      if (isObject(opened) && typeof opened['id'] === 'string') items.push(opened as KeptItem)
      else this.#damaged(ref, item_id)
      bytes += item.byteLength
      if (bytes < openedAtOnceBytes) continue
      bytes = 0
      await nextTurn()
    }
    return items
  }

  #damaged({ id }: ConversationRef, part: string): undefined {
    this.#log.error('a part of a conversation cannot be decrypted: it was changed, or its key is lost', { conversation: id, part })
  }
}

function metadataPlace({ owner, id }: ConversationRef): Place {
  return { owner, id, part: 'metadata' }
}

function itemPlace({ owner, id }: ConversationRef, itemId: string): Place {
  return { owner, id: JSON.stringify([id, itemId]), part: 'item' }
}
