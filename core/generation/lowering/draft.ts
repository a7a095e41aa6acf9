import type { Endpoint } from '../../contracts/catalog.ts'
import type { Provider } from '../../contracts/provider.ts'
import type { UpstreamRequestBody } from '../../contracts/request.ts'
import type { Warning } from '../../contracts/route.ts'
import type { RaisedEvent } from '../raised-event.ts'

/**
 * Turns an endpoint's answer back into what the caller asked for: wraps the events of one attempt. May hold events back, may wait,
 * and throws `ProviderFailure` for an answer that cannot be turned back.
 */
export type Raise = (events: AsyncIterable<Raised>, attempt: RaisedAttempt) => AsyncIterable<Raised>

/** One event, or some that came together. */
export type Raised = RaisedEvent | readonly RaisedEvent[]

/** The attempt whose events are raised. Between `pause` and `resume` its time-outs stand still: for work of the gateway's own. */
export interface RaisedAttempt {
  readonly signal: AbortSignal
  pause(): void
  resume(): void
}

/** A request on its way down to one endpoint. Each lowering changes what the endpoint cannot take, says so, and may undo it in the answer. */
export interface Draft {
  readonly request: { -readonly [K in keyof UpstreamRequestBody]: UpstreamRequestBody[K] }
  readonly endpoint: Endpoint
  readonly provider: Provider
  readonly dialect: string | undefined
  /** The id of the API key that asks. */
  readonly keyId: string
  readonly warnings: Warning[]
  /** The first one sees the provider's own events. */
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
