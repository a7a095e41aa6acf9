import type { EventFeed } from './event-feed.ts'
import { Inbox } from './inbox.ts'

/** The events of a feed, in the lists in which they arrive. Throws the signal's reason as soon as it is aborted. */
export async function* iterate<E extends object>(feed: EventFeed<E>, signal: AbortSignal): AsyncGenerator<readonly E[]> {
  signal.throwIfAborted()
  const inbox = new Inbox(feed)
  const onAbort = (): void => {
    inbox.abort(signal.reason)
    feed.stop()
  }
  signal.addEventListener('abort', onAbort)
  try {
    feed.deliver(inbox)
    for (let event = await inbox.next(); event; event = await inbox.next()) {
      const list: E[] = [event]
      for (let more = inbox.take(); more; more = inbox.take()) list.push(more)
      yield list
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    feed.stop()
  }
}
