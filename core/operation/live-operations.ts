import { GatewayError } from '../foundation/errors.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Roster } from '../foundation/roster.ts'

/** Knows which requests to models are under way. */
export class LiveOperations {
  readonly #live = new Roster<RequestScope>()

  get count(): number {
    return this.#live.size
  }

  /** `work` always ends by itself, and never rejects: what becomes of it is in the scope's record. */
  track<T>(scope: RequestScope, work: () => Promise<T>): Promise<T> {
    this.#live.add(scope)
    const finished = work().finally(() => this.#live.remove(scope))
    scope.work = finished
    return finished
  }

  /** Ends what is under way, so that open streams close with an error instead of a cut. */
  abortAll(): void {
    const reason = new GatewayError({
      status: 503,
      type: 'server_error',
      code: 'server_error',
      message: 'The gateway is shutting down. Try again.',
    })
    for (const { cancellation } of this.#live.all()) cancellation.abort(reason)
  }
}
