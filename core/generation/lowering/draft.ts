import type { Endpoint } from '../../contracts/catalog.ts'
import type { Provider } from '../../contracts/provider.ts'
import type { UpstreamRequestBody } from '../../contracts/request.ts'
import type { Warning } from '../../contracts/route.ts'
import type { RaisedEvent } from '../raised-event.ts'

/**
 * Undoes a lowering in the answer: wraps the events of one attempt. May hold events back and wait. Throws `ProviderFailure` if the
 * answer cannot be restored.
 */
export type Raise = (events: AsyncIterable<Raised>, attempt: RaisedAttempt) => AsyncIterable<Raised>

/** One event, or several that arrived together. */
export type Raised = RaisedEvent | readonly RaisedEvent[]

/** The attempt whose events are raised. Its timeouts are suspended between `pause` and `resume`, while the gateway itself is working. */
export interface RaisedAttempt {
  readonly signal: AbortSignal
  pause(): void
  resume(): void
}

/**
 * A request being fitted to one endpoint. Each lowering changes what the endpoint does not support, adds a warning, and may undo the change
 * in the answer.
 */
export interface Draft {
  readonly request: { -readonly [K in keyof UpstreamRequestBody]: UpstreamRequestBody[K] }
  readonly endpoint: Endpoint
  readonly provider: Provider
  /** The id of the API key that asks. */
  readonly keyId: string
  readonly warnings: Warning[]
  /** In order: the first one receives the provider's own events. */
  readonly raises: Raise[]
}

/** A raise that maps each event on its own. `begin` runs once per answer and returns the mapping. */
export function raiseEach(begin: () => (event: RaisedEvent) => RaisedEvent | readonly RaisedEvent[]): Raise {
  return async function* (events) {
    const raise = begin()
    // An empty list is yielded too: it shows that the provider is alive.
    for await (const yielded of events) yield 'type' in yielded ? [raise(yielded)].flat() : yielded.flatMap(raise)
  }
}
