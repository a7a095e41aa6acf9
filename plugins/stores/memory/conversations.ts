import type { Clock } from '../../../core/index.ts'
import {
  jsonBytes,
  recentValues,
  type AppendOutcome,
  type Appending,
  type ConversationAddress,
  type ConversationChange,
  type ConversationLease,
  type ConversationStore,
  type ItemPage,
  type ItemPageQuery,
  type KeptItem,
  type RecentValues,
  type StoredConversation,
} from '../../../core/stores.ts'

interface Conversation {
  stored: StoredConversation
  items: readonly KeptItem[]
  bytes: number
  fence: number
  leasedUntil: number
}

/** The most recently used conversations. */
export class MemoryConversations implements ConversationStore {
  readonly #conversations: RecentValues<string, Conversation>
  readonly #clock: Clock

  constructor(maxConversations: number, clock: Clock) {
    this.#conversations = recentValues(maxConversations)
    this.#clock = clock
  }

  async create(owner: string, stored: StoredConversation, items: readonly KeptItem[]): Promise<void> {
    const conversation = { stored, items, bytes: bytesOf(items), fence: 0, leasedUntil: -Infinity }
    this.#conversations.set(addressOf({ owner, id: stored.id }), conversation)
  }

  async get(at: ConversationAddress): Promise<StoredConversation | undefined> {
    return this.#find(at)?.stored
  }

  async setMetadata(at: ConversationAddress, metadata: StoredConversation['metadata']): Promise<boolean> {
    const conversation = this.#find(at)
    if (conversation) conversation.stored = { ...conversation.stored, metadata }
    return conversation !== undefined
  }

  async delete(at: ConversationAddress): Promise<ConversationChange> {
    const conversation = this.#find(at)
    if (!conversation) return 'unknown'
    if (this.#isLeased(conversation)) return 'busy'
    this.#conversations.delete(addressOf(at))
    return 'done'
  }

  async items(at: ConversationAddress): Promise<readonly KeptItem[] | undefined> {
    return this.#find(at)?.items
  }

  async page(at: ConversationAddress, { limit, order, after }: ItemPageQuery): Promise<ItemPage | undefined> {
    const conversation = this.#find(at)
    if (!conversation) return undefined
    const all = order === 'asc' ? conversation.items : conversation.items.toReversed()
    const place = after === undefined ? -1 : all.findIndex(({ id }) => id === after)
    if (place < 0 && after !== undefined) return undefined
    const from = place + 1
    return { items: all.slice(from, from + limit), hasMore: all.length > from + limit }
  }

  async item(at: ConversationAddress, itemId: string): Promise<KeptItem | undefined> {
    return this.#find(at)?.items.find(({ id }) => id === itemId)
  }

  async append(at: ConversationAddress, items: readonly KeptItem[], { fence, room }: Appending): Promise<AppendOutcome> {
    const conversation = this.#find(at)
    if (!conversation) return 'unknown'
    if (fence === undefined ? this.#isLeased(conversation) : fence !== conversation.fence) return fence === undefined ? 'busy' : 'lost'
    const bytes = conversation.bytes + bytesOf(items)
    const whole = [...conversation.items, ...items]
    if (room && (whole.length > room.items || bytes > room.bytes)) return 'full'
    const known = new Set(conversation.items.map(({ id }) => id))
    const taken = items.filter(({ id }) => known.has(id)).map(({ id }) => id)
    if (taken.length > 0) return taken
    change(conversation, whole, bytes)
    return 'done'
  }

  async deleteItem(at: ConversationAddress, itemId: string): Promise<ConversationChange> {
    const conversation = this.#find(at)
    const item = conversation?.items.find(({ id }) => id === itemId)
    if (!conversation || !item) return 'unknown'
    if (this.#isLeased(conversation)) return 'busy'
    const left = conversation.items.filter(each => each !== item)
    change(conversation, left, conversation.bytes - bytesOf([item]))
    return 'done'
  }

  async acquire(at: ConversationAddress, leaseMs: number): Promise<ConversationLease | 'unknown' | 'busy'> {
    const conversation = this.#find(at)
    if (!conversation) return 'unknown'
    if (this.#isLeased(conversation)) return 'busy'
    conversation.leasedUntil = this.#clock.elapsed() + leaseMs
    conversation.fence++
    return { fence: conversation.fence, held: { items: conversation.items.length, bytes: conversation.bytes } }
  }

  async renew(at: ConversationAddress, fence: number, leaseMs: number): Promise<boolean> {
    const conversation = this.#find(at)
    if (conversation?.fence !== fence) return false
    conversation.leasedUntil = this.#clock.elapsed() + leaseMs
    return true
  }

  async release(at: ConversationAddress, fence: number): Promise<boolean> {
    const conversation = this.#find(at)
    if (conversation?.fence !== fence) return false
    change(conversation, conversation.items, conversation.bytes)
    return true
  }

  #find(at: ConversationAddress): Conversation | undefined {
    return this.#conversations.get(addressOf(at))
  }

  #isLeased({ leasedUntil }: Conversation): boolean {
    return leasedUntil > this.#clock.elapsed()
  }
}

/** Ends the lease, if there is one. */
function change(conversation: Conversation, items: readonly KeptItem[], bytes: number): void {
  Object.assign(conversation, { items, bytes, fence: conversation.fence + 1, leasedUntil: -Infinity } satisfies Partial<Conversation>)
}

function bytesOf(items: readonly KeptItem[]): number {
  return items.reduce((sum, item) => sum + jsonBytes(item), 0)
}

/** Unambiguous for any characters in an id. */
function addressOf({ owner, id }: ConversationAddress): string {
  return JSON.stringify([owner, id])
}
