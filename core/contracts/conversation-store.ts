import { contract } from '../foundation/token.ts'
import type { Item } from './items.ts'

/** A conversation without its items. */
export interface StoredConversation {
  /** Such as `conv_…`. */
  readonly id: string
  /** If the store seals content, it uses this organization's key. */
  readonly org: string
  /** The caller's own. */
  readonly metadata: Readonly<Record<string, string>>
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** An item of a conversation. Its id is unique there. */
export type KeptItem = Item & {
  /** Unique in its conversation. */
  readonly id: string
}

/** How much a conversation may hold. */
export interface ConversationRoom {
  /** The most items. */
  readonly items: number
  /** Of the items as the store counts them: about as long as their JSON. */
  readonly bytes: number
}

/** The right of one run to add to a conversation, and to be the only one. */
export interface ConversationLease {
  /** Higher than that of every lease and every change of items before. The store accepts the items of a run by it. */
  readonly fence: number
  /** The size that the conversation has already. */
  readonly held: ConversationRoom
}

/** Which items of a conversation to read. */
export interface ItemPageQuery {
  /** The most items. */
  readonly limit: number
  /** `asc`: the oldest first. */
  readonly order: 'asc' | 'desc'
  /** The id of the item before the page. */
  readonly after?: string | undefined
}

/** Some items of a conversation. */
export interface ItemPage {
  /** In the order that was asked for. */
  readonly items: readonly KeptItem[]
  /** True if more items follow. */
  readonly hasMore: boolean
}

/** `busy`: another run has the lease. */
export type ConversationChange = 'done' | 'unknown' | 'busy'

/**
 * `lost`: the fence is no longer the conversation's, because a later run or a change of items came between. `full`: there is no room.
 * A list: these ids are taken.
 */
export type AppendOutcome = ConversationChange | 'lost' | 'full' | readonly string[]

/** How items are appended to a conversation. */
export interface Appending {
  /** Of the run that appends, which ends its lease. Without it, the items are a change of their own, for which no run may have the lease. */
  readonly fence?: number | undefined
  /** The most that the conversation may hold afterwards. */
  readonly room?: ConversationRoom | undefined
}

/** Where a conversation is. Another owner's id is unknown. */
export interface ConversationAddress {
  /** Only its owner can read it. */
  readonly owner: string
  /** Such as `conv_…`. */
  readonly id: string
}

/**
 * Keeps conversations: items in the order in which they were added. Several gateways may share a store, and their clocks may differ, so the
 * store alone measures how old a lease is. A throw and a malformed answer become a 503, and so does an answer that takes too long.
 * `conversationStoreSuite` of `turnpike/testing` checks an implementation.
 */
export interface ConversationStore {
  /** Stores a new conversation with its first items. */
  create(owner: string, conversation: StoredConversation, items: readonly KeptItem[]): Promise<void>
  /** Undefined if the owner has none with this id. */
  get(at: ConversationAddress): Promise<StoredConversation | undefined>
  /** Replaces the metadata, also during a run. False if the conversation is unknown. */
  setMetadata(at: ConversationAddress, metadata: StoredConversation['metadata']): Promise<boolean>
  /** Deletes a conversation with its items. */
  delete(at: ConversationAddress): Promise<ConversationChange>
  /** All items, oldest first. */
  items(at: ConversationAddress): Promise<readonly KeptItem[] | undefined>
  /**
   * Undefined if the conversation or the item in `after` is unknown. A page of large items may
   * be shorter than its `limit`, but is empty only if there are no more.
   */
  page(at: ConversationAddress, query: ItemPageQuery): Promise<ItemPage | undefined>
  /** Undefined if the conversation has no such item. */
  item(at: ConversationAddress, itemId: string): Promise<KeptItem | undefined>
  /** Adds all of the items at the end, or none of them. */
  append(at: ConversationAddress, items: readonly KeptItem[], how: Appending): Promise<AppendOutcome>
  /** `unknown`: the conversation or the item is. */
  deleteItem(at: ConversationAddress, itemId: string): Promise<ConversationChange>
  /** Gives the only lease of a conversation, for this long. */
  acquire(at: ConversationAddress, leaseMs: number): Promise<ConversationLease | 'unknown' | 'busy'>
  /** Makes a lease last this long from now. False if the fence is no longer the conversation's. */
  renew(at: ConversationAddress, fence: number, leaseMs: number): Promise<boolean>
  /** Ends a lease: what comes later with this fence is `lost`. False if the fence was no longer the conversation's. */
  release(at: ConversationAddress, fence: number): Promise<boolean>
}
export const ConversationStore = contract<ConversationStore>('conversation-store', { version: 1, stability: 'stable' })
