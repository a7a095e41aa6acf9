import type { LiveAnswer } from '../call/live-answer.ts'
import type { Item } from '../contracts/items.ts'
import type { HistoryUse } from '../contracts/request-envelope.ts'
import type { FinishedAnswer } from '../contracts/route.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { History } from './history.ts'
import type { Prepared } from './preparation.ts'

/** Gives a complete answer to its thread and to the store, before the client gets its end. */
export class Keeping {
  readonly #history: History
  readonly #use: HistoryUse | undefined
  readonly #context: RunContext
  readonly #memory: LiveAnswer
  #input: readonly Item[] | undefined
  #isStored = false

  constructor(history: History, use: HistoryUse | undefined, context: RunContext, memory: LiveAnswer) {
    this.#history = history
    this.#use = use
    this.#context = context
    this.#memory = memory
  }

  /** True if the surface stores answers, the caller allows it and the key's policy has logging on: docs/protocol/stored-responses.md. */
  get isWanted(): boolean {
    return this.#use !== undefined && this.#use.store !== false && this.#context.caller.policy.logging.value
  }

  get isStored(): boolean {
    return this.#isStored
  }

  /** The request's own items with their ids, the same each time. */
  input({ added }: Prepared): readonly Item[] {
    return (this.#input ??= this.#history.identified(added))
  }

  keep(finished: FinishedAnswer, prepared: Prepared, said: () => readonly Item[]): Maybe<void> {
    if (this.isWanted || this.#use?.thread?.keep) return this.#keep(finished, prepared, said())
  }

  async #keep(finished: FinishedAnswer, prepared: Prepared, said: readonly Item[]): Promise<void> {
    const { continues, thread } = this.#use!
    const input = this.input(prepared)
    await thread?.keep?.({ input, output: said }, finished)
    if (!this.isWanted) return
    const { id: requestId, caller } = this.#context
    const late = new AbortController()
    const memory = this.#memory
    memory.complete(reason => late.abort(reason))
    const { repeated } = prepared
    const stored = repeated ? this.#history.identified(repeated) : input
    const answered = { previousId: continues, input: stored, said, finished, bytes: memory.bytes, late }
    this.#isStored = await this.#history.keep(caller, answered, requestId)
  }
}
