import { GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Roster } from '../runtime/roster.ts'

/** Tracks the generations and decisions in progress. */
export class LiveOperations {
  readonly #live = new Roster<RequestScope>()

  get count(): number {
    return this.#live.size
  }

  /** `work` must always end and never reject. Its outcome goes into the scope's record. */
  track<T>(scope: RequestScope, work: () => Promise<T>): Promise<T> {
    this.#live.add(scope)
    const finished = work().then(outcome => {
      this.#live.remove(scope)
      return outcome
    })
    scope.work = finished
    return finished
  }

  /** Ends everything in progress with an error, so that open streams do not just break off. */
  abortAll(): void {
    const reason = shuttingDown()
    for (const { cancellation } of this.#live.all()) cancellation.abort(reason)
  }
}

export function shuttingDown(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway is shutting down. Try again.`,
  })
}
