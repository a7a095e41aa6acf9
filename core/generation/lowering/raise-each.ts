import type { RaisedEvent } from '../raised-event.ts'
import type { Raise } from './draft.ts'

/** A raise that turns each event into others by itself; `begin` is called for each answer. */
export function raiseEach(begin: () => (event: RaisedEvent) => RaisedEvent | readonly RaisedEvent[]): Raise {
  return async function* (events) {
    const raise = begin()
    // An empty list goes on too: it says that the provider is alive.
    for await (const yielded of events) yield 'type' in yielded ? [raise(yielded)].flat() : yielded.flatMap(raise)
  }
}
