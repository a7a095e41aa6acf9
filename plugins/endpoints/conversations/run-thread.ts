import pTimeout from 'p-timeout'
import type { Item } from '../../../core/index.ts'
import type { ConversationThread, RequestScope } from '../../../core/kit.ts'
import type { ConversationAddress, Turn } from '../../../core/stores.ts'
import type { KeptConversations } from './kept-conversations.ts'
import { checkedId, lost } from './refusals.ts'

/** A crash frees a conversation within this time. */
const leaseMs = 30_000
const renewEveryMs = 10_000
/** A failed answer waits this long for its conversation to be as it was. */
const leaveMs = 1_000

/** The conversation of one run. */
export class RunThread implements ConversationThread {
  readonly #kept: KeptConversations
  readonly #scope: RequestScope
  readonly #id: string
  readonly #adds: boolean
  #known: ReadonlySet<string> = new Set()
  #fence: number | undefined
  #renewing: NodeJS.Timeout | undefined
  /** The ids of items that the store may have added. */
  #unsure: readonly string[] = []

  constructor(kept: KeptConversations, scope: RequestScope, id: string, adds: boolean) {
    this.#kept = kept
    this.#scope = scope
    this.#id = id
    this.#adds = adds
  }

  async earlier(): Promise<readonly Item[]> {
    checkedId(this.#id, 'conversation')
    const at = this.#at
    if (this.#adds) await this.#acquire(at)
    const items = await this.#kept.items(at)
    this.#known = new Set(items.map(({ id }) => id))
    return items
  }

  async keep({ input, output }: Turn): Promise<void> {
    this.#stopRenewing()
    const items = this.#kept.identified([...input, ...output], this.#known)
    this.#unsure = items.map(({ id }) => id)
    try {
      await this.#kept.conclude(this.#at, this.#fence!, items)
      this.#fence = undefined
    } catch (error) {
      // A caller that hears of the failure may ask another process at once.
      await pTimeout(this.over(), { milliseconds: leaveMs, fallback: () => {} })
      throw error
    }
  }

  async over(): Promise<void> {
    this.#stopRenewing()
    const fence = this.#fence
    this.#fence = undefined
    if (fence !== undefined) await this.#kept.departures.leave(this.#at, fence, this.#unsure)
  }

  get #at(): ConversationAddress {
    return { owner: this.#scope.caller.owner, id: this.#id }
  }

  async #acquire(at: ConversationAddress): Promise<void> {
    const departing = this.#kept.departures.of(at)
    if (departing) await this.#kept.inTime(() => departing)
    const { fence, held } = await this.#kept.acquire(at, leaseMs)
    this.#fence = fence
    this.#renewing = setInterval(() => void this.#renew(at, fence), renewEveryMs).unref()
    this.#kept.checkRoom(at, held)
  }

  async #renew(at: ConversationAddress, fence: number): Promise<void> {
    try {
      if ((await this.#kept.store.renew(at, fence, leaseMs)) || !this.#renewing) return
    } catch {
      // Adding the answer will show whether somebody else has the conversation by then.
      return
    }
    this.#scope.cancellation.abort(lost(this.#id))
  }

  #stopRenewing(): void {
    clearInterval(this.#renewing)
    this.#renewing = undefined
  }
}
