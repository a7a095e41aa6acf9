import pTimeout from 'p-timeout'
import { GatewayError, invalidRequest, type Caller, type Item, type Logger } from '../../../core/index.ts'
import { withIds, type GatewayServices, wording, own } from '../../../core/kit.ts'
import type {
  ConversationAddress,
  ConversationLease,
  ConversationRoom,
  ConversationStore,
  ItemPage,
  ItemPageQuery,
  KeptItem,
  StoredConversation,
} from '../../../core/stores.ts'
import { Departures } from './departures.ts'
import { locked, lost, notFound } from './refusals.ts'

/** Storing and reading may take a second more for each of so many bytes, as for responses. */
const bytesPerSecond = 2 * 1024 * 1024
const none: ReadonlySet<string> = new Set()

/** The store, with a time limit, and with the errors that callers should see. */
export class KeptConversations {
  readonly store: ConversationStore
  readonly gateway: GatewayServices
  /** The conversations that runs of this process are leaving. */
  readonly departures: Departures
  readonly #room: ConversationRoom

  constructor(store: ConversationStore, gateway: GatewayServices, room: ConversationRoom, log: Logger) {
    this.store = store
    this.gateway = gateway
    this.departures = new Departures(store, log)
    this.#room = room
  }

  async create({ key, owner }: Caller, metadata: StoredConversation['metadata'], items: readonly Item[]): Promise<StoredConversation> {
    const { ids, clock } = this.gateway
    const conversation = { id: ids.make('conv'), org: key.org, metadata, createdAt: clock.now() }
    await this.inTime(() => this.store.create(owner, conversation, this.identified(items)), Infinity)
    return conversation
  }

  async find(at: ConversationAddress): Promise<StoredConversation> {
    const conversation = await this.inTime(() => this.store.get(at))
    if (!conversation) throw notFound(at.id)
    return conversation
  }

  async change(at: ConversationAddress, metadata: StoredConversation['metadata']): Promise<StoredConversation> {
    if (!(await this.inTime(() => this.store.setMetadata(at, metadata)))) throw notFound(at.id)
    return { ...(await this.find(at)), metadata }
  }

  async delete(at: ConversationAddress): Promise<void> {
    const outcome = await this.inTime(() => this.store.delete(at))
    if (outcome === 'unknown') throw notFound(at.id)
    if (outcome === 'busy') throw locked(at.id)
  }

  async page(at: ConversationAddress, query: ItemPageQuery): Promise<ItemPage> {
    const page = await this.inTime(() => this.store.page(at, query), this.#room.bytes)
    if (page) return page
    await this.find(at)
    throw invalidRequest(wording`Invalid value for 'after': this conversation has no item with that id.`, 'after')
  }

  async item(at: ConversationAddress, itemId: string): Promise<KeptItem> {
    const item = await this.inTime(() => this.store.item(at, itemId), this.#room.bytes)
    if (item) return item
    await this.find(at)
    throw itemNotFound(itemId)
  }

  async deleteItem(at: ConversationAddress, itemId: string): Promise<StoredConversation> {
    const outcome = await this.inTime(() => this.store.deleteItem(at, itemId))
    if (outcome === 'busy') throw locked(at.id)
    const conversation = await this.find(at)
    if (outcome === 'unknown') throw itemNotFound(itemId)
    return conversation
  }

  /** Adds items between two runs. Returns them with their ids. */
  async add(at: ConversationAddress, items: readonly Item[]): Promise<readonly KeptItem[]> {
    return await this.#append(at, items, { room: this.#room })
  }

  /** Adds the items of a run, and ends its lease. There is room for what a run said, because it began with room. */
  async conclude(at: ConversationAddress, fence: number, items: readonly KeptItem[]): Promise<void> {
    await this.#append(at, items, { fence })
  }

  /** Gives every item an id that is not among the known ones. */
  identified(items: readonly Item[], known: ReadonlySet<string> = none): readonly KeptItem[] {
    return withIds(without(items, known), this.gateway.ids) as readonly KeptItem[]
  }

  /** The items before a run, oldest first. */
  async items(at: ConversationAddress): Promise<readonly KeptItem[]> {
    const items = await this.inTime(() => this.store.items(at), this.#room.bytes)
    if (!items) throw notFound(at.id)
    return items
  }

  async acquire(at: ConversationAddress, leaseMs: number): Promise<ConversationLease> {
    const acquiring = answered(() => this.store.acquire(at, leaseMs))
    const lease = await this.inTime(() => acquiring).catch(error => {
      // It may still be given, to nobody.
      acquiring.then(late => typeof late === 'object' && this.store.release(at, late.fence)).catch(() => {})
      throw error
    })
    if (lease === 'unknown') throw notFound(at.id)
    if (lease === 'busy') throw locked(at.id)
    return lease
  }

  /** Throws a 400 for a conversation that has no room for another run. */
  checkRoom({ id }: ConversationAddress, { items, bytes }: ConversationRoom): void {
    const { items: maxItems, bytes: maxBytes } = this.#room
    if (items >= maxItems || bytes >= maxBytes) throw this.#full(id)
  }

  /** Throws a 503 if the store fails or takes too long. */
  async inTime<T>(ask: () => Promise<T>, bytes = 0): Promise<T> {
    const milliseconds = this.gateway.storeTimeoutMs + Math.floor(Math.min(bytes, this.#room.bytes) / bytesPerSecond) * 1_000
    try {
      return await pTimeout(answered(ask), { milliseconds, message: `the conversation store took longer than ${milliseconds} ms` })
    } catch (cause) {
      const message = wording`Conversations cannot be read or stored at the moment. Try again.`
      throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
    }
  }

  async #append(
    at: ConversationAddress,
    items: readonly Item[],
    how: Parameters<ConversationStore['append']>[2],
  ): Promise<readonly KeptItem[]> {
    for (let kept = this.identified(items); ;) {
      const outcome = await this.inTime(() => this.store.append(at, kept, how), Infinity)
      if (outcome === 'done') return kept
      if (outcome === 'unknown') throw notFound(at.id)
      if (outcome === 'busy') throw locked(at.id)
      if (outcome === 'lost') throw lost(at.id)
      if (outcome === 'full') throw this.#full(at.id)
      kept = this.identified(kept, new Set(outcome))
    }
  }

  #full(id: string): GatewayError {
    const { items, bytes } = this.#room
    return invalidRequest(
      wording`Conversation '${id}' is full: it may have ${own(items)} items of ${own(bytes)} bytes together. Delete some of them, or start a new conversation.`,
      'conversation',
      'conversation_full',
    )
  }
}

/** A store may throw at once. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  return await ask()
}

/** Ids that the conversation has already give way to new ones. */
function without(items: readonly Item[], taken: ReadonlySet<string>): readonly Item[] {
  return items.map(item => {
    const { id, ...rest } = item as Item & { readonly id?: string }
    return id !== undefined && taken.has(id) ? (rest as Item) : item
  })
}

function itemNotFound(itemId: string): GatewayError {
  return new GatewayError({
    status: 404,
    type: 'invalid_request_error',
    code: 'not_found',
    message: wording`Item with id '${itemId}' not found in this conversation.`,
    param: 'item',
  })
}
