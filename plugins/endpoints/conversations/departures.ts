import type { Logger } from '../../../core/index.ts'
import { describeError } from '../../../core/kit.ts'
import type { ConversationAddress, ConversationStore } from '../../../core/stores.ts'

const retryAfterMs = 1_000
/** Then its lease has ended by itself. */
const maxTries = 60

/** Ends the leases of runs that added nothing. */
export class Departures {
  readonly #store: ConversationStore
  readonly #log: Logger
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(store: ConversationStore, log: Logger) {
    this.#store = store
    this.#log = log
  }

  /** Resolves when the run before has left: its caller may send the next request as soon as it hears of a failure. */
  of(at: ConversationAddress): Promise<void> | undefined {
    return this.#underWay.get(keyOf(at))
  }

  /** `unsure`: items that the store may have added, although it did not confirm it. Never rejects. */
  leave(at: ConversationAddress, fence: number, unsure: readonly string[]): Promise<void> {
    const key = keyOf(at)
    const leaving = this.#left(at, fence, unsure).finally(() => {
      if (this.#underWay.get(key) === leaving) this.#underWay.delete(key)
    })
    this.#underWay.set(key, leaving)
    return leaving
  }

  async #left(at: ConversationAddress, fence: number, unsure: readonly string[]): Promise<void> {
    const waiting = [...unsure]
    for (let tries = 1; ; tries++) {
      try {
        // After this, they can no longer arrive. If it is too late, they may be there.
        if (await this.#store.release(at, fence)) return
        while (waiting.length > 0) {
          if ((await this.#store.deleteItem(at, waiting[0]!)) === 'busy') break
          waiting.shift()
        }
        if (waiting.length === 0) return
      } catch (error) {
        if (tries === 1) this.#log.warn('could not free a conversation yet; retrying', { conversation: at.id, ...describeError(error) })
      }
      if (tries === maxTries) return
      await new Promise(resolve => setTimeout(resolve, retryAfterMs).unref())
    }
  }
}

/** Unambiguous for any characters in an id. */
function keyOf({ owner, id }: ConversationAddress): string {
  return JSON.stringify([owner, id])
}
