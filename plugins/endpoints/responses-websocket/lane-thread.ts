import { invalidRequest, type Item } from '../../../core/index.ts'
import { isPending, memoryOf, type FinishedAnswer, type Thread, wording } from '../../../core/kit.ts'
import type { Turn } from '../../../core/stores.ts'
import type { LatestResponse, LatestResponses } from './latest-responses.ts'

type Maybe<T> = T | Promise<T>

export interface LaneThreadParts {
  readonly latest: LatestResponses
  readonly lane: string
  /** The response that the request continues. */
  readonly previousId: string | undefined
  /** The same, or the conversation that the request names. */
  readonly continues: string | undefined
  /** Finds it where the connection does not have it. */
  lookUp(id: string): Maybe<readonly Item[]>
  /** A conversation that the request names, if it does. */
  readonly named: Thread | undefined
  /** True if a request needs no input when it has an earlier conversation. */
  readonly isEmpty: boolean
}

/** The conversation that a request continues, and the memory of its own response. */
export class LaneThread implements Thread {
  readonly #parts: LaneThreadParts
  readonly #found: LatestResponse | undefined
  #before: Pick<LatestResponse, 'items' | 'bytes'> = { items: [], bytes: 0 }
  #kept: LatestResponse | undefined

  constructor(parts: LaneThreadParts) {
    this.#parts = parts
    this.#found = parts.previousId === undefined ? undefined : parts.latest.find(parts.previousId)
  }

  get isRepeated(): boolean {
    return this.#found ? !this.#found.isStored : (this.#parts.named?.isRepeated ?? false)
  }

  /** The stored answer or conversation that the request continues. */
  get continues(): string | undefined {
    return this.isRepeated ? undefined : this.#parts.continues
  }

  earlier(): Maybe<readonly Item[]> {
    const { previousId, named } = this.#parts
    if (this.#found) return this.#begin(this.#found)
    const found = named ? named.earlier() : previousId === undefined ? [] : this.#parts.lookUp(previousId)
    const begin = (items: readonly Item[]): readonly Item[] => this.#begin({ items, bytes: memoryOf(items) })
    return isPending(found) ? found.then(begin) : begin(found)
  }

  async keep(turn: Turn, finished: FinishedAnswer): Promise<void> {
    await this.#parts.named?.keep?.(turn, finished)
    this.remember(finished.id, [...turn.input, ...turn.output])
  }

  remember(id: string, added: readonly Item[]): void {
    this.#kept = this.#parts.latest.keep(this.#parts.lane, id, this.#before, added)
  }

  /** The response was stored, or not. One of a conversation has its own turn only, so that a stored answer cannot continue it. */
  stored(isStored: boolean): void {
    if (this.#kept) this.#kept.isStored = isStored && !this.#parts.named
  }

  #begin(before: Pick<LatestResponse, 'items' | 'bytes'>): readonly Item[] {
    if (this.#parts.isEmpty && before.items.length === 0)
      throw invalidRequest(wording`There is nothing to answer: input is empty, and so is the conversation before it. Send input.`, 'input')
    this.#before = before
    return before.items
  }
}
