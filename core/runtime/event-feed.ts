/**
 * An iterable of events that can also deliver them itself, which costs a third of iterating. `httpProvider` returns feeds; a provider that
 * wraps another may return its feed unchanged. Either iterate a feed or call `deliver`, once.
 */
export interface EventFeed<E extends object> extends AsyncIterable<E | readonly E[]> {
  /** Starts the reply. The first delivery may come before this returns. */
  deliver(receiver: EventReceiver<E>): void
  /** Asks for a halt: at most one more list is delivered before `resume`. */
  pause(): void
  resume(): void
  /** Ends the reply early: nothing is delivered any more. Does nothing when the reply is over. */
  stop(): void
}

/** Receives any number of lists, then `end` or `fail`. None of them may throw. */
export interface EventReceiver<E> {
  /** Events that arrived together, in order. */
  events(list: readonly E[]): void
  end(): void
  fail(error: unknown): void
}

export function isFeed<E extends object>(events: AsyncIterable<E | readonly E[]>): events is EventFeed<E> {
  return typeof (events as Partial<EventFeed<E>>).deliver === 'function'
}
