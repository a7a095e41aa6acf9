import type { Caller, RunContext } from '../contracts/run-context.ts'
import type { Cancellation } from '../runtime/cancellation.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Logger } from '../foundation/logger.ts'

/** The context of a part of a request that can be aborted alone. */
export class DerivedContext implements RunContext {
  readonly id: string
  readonly log: Logger
  readonly #whole: RunContext
  readonly #cancellation: Cancellation

  constructor(whole: RunContext, cancellation: Cancellation) {
    this.id = whole.id
    this.log = whole.log
    this.#whole = whole
    this.#cancellation = cancellation
  }

  get caller(): Caller {
    return this.#whole.caller
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal
  }

  get creditWaitMs(): number | undefined {
    return this.#whole.creditWaitMs
  }

  set creditWaitMs(waitedMs: number | undefined) {
    this.#whole.creditWaitMs = waitedMs
  }

  note(kind: string, summary: JsonObject): void {
    this.#whole.note(kind, summary)
  }

  keep(kind: string, content: JsonObject): void {
    this.#whole.keep(kind, content)
  }
}
