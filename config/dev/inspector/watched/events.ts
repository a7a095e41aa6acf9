import { isFeed, type EventFeed, type EventReceiver } from '../../../../core/runtime/event-feed.ts'
import { shadow } from '../shadow.ts'
import type { Step, StepOutcome } from '../step.ts'
import { within, type Watched } from './watching.ts'

type Events = AsyncIterable<object>

/** The same events, each of them also added to a step, which ends with them. */
export function watchedEvents(events: Events, watched: Watched, step: Step, outcome: StepOutcome = 'done'): Events {
  const iterated = () => new WatchedIterator(events[Symbol.asyncIterator](), watched, step, outcome)
  if (!isFeed(events)) return shadow<Events>(events, { [Symbol.asyncIterator]: iterated })
  const feed: EventFeed<object> = events
  return shadow<EventFeed<object>>(feed, {
    [Symbol.asyncIterator]: iterated,
    deliver: receiver => within(watched, step, () => feed.deliver(watchedReceiver(receiver, step, outcome))),
    stop() {
      step.end('left')
      feed.stop()
    },
  })
}

function watchedReceiver(receiver: EventReceiver<object>, step: Step, outcome: StepOutcome): EventReceiver<object> {
  return {
    events(list) {
      for (const event of list) step.event(event)
      receiver.events(list)
    },
    end() {
      step.end(outcome)
      receiver.end()
    },
    fail(error) {
      step.fail(error)
      receiver.fail(error)
    },
  }
}

class WatchedIterator implements AsyncIterableIterator<object> {
  readonly #iterator: AsyncIterator<object>
  readonly #watched: Watched
  readonly #step: Step
  readonly #outcome: StepOutcome

  constructor(iterator: AsyncIterator<object>, watched: Watched, step: Step, outcome: StepOutcome) {
    this.#iterator = iterator
    this.#watched = watched
    this.#step = step
    this.#outcome = outcome
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<object>> {
    const step = this.#step
    try {
      const result = await within(this.#watched, step, () => this.#iterator.next())
      if (result.done) step.end(this.#outcome)
      // One event, or several that arrived together.
      else for (const event of Array.isArray(result.value) ? result.value : [result.value]) step.event(event)
      return result
    } catch (error) {
      step.fail(error)
      throw error
    }
  }

  async return(value?: unknown): Promise<IteratorResult<object>> {
    this.#step.end('left')
    const returned = await this.#iterator.return?.(value)
    return returned ?? { done: true, value: undefined }
  }
}
