import type { Logger } from '../foundation/logger.ts'
import type { RecordDraft } from '../records/record.ts'
import { LiveScope } from './scope.ts'

/** A request that ends with a signal of its plugin. */
export class FollowingScope extends LiveScope {
  readonly #followed: AbortSignal
  readonly #onAbort = (): void => this.leave()

  constructor(id: string, log: Logger, record: RecordDraft, followed: AbortSignal) {
    super(id, log, record)
    this.#followed = followed
    if (followed.aborted) this.leave()
    else followed.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Plugins may use one signal for many requests. */
  protected override release(): void {
    this.#followed.removeEventListener('abort', this.#onAbort)
  }
}
