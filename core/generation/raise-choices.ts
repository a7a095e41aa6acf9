import type { Raised } from './lowering/draft.ts'
import type { RaisedEvent } from './raised-event.ts'

/** Raises each choice of a reply as an answer of its own, so that raises need not know of choices. */
export async function* raiseChoices(
  events: AsyncIterable<Raised>,
  raise: (answer: AsyncIterable<Raised>) => AsyncIterable<Raised>,
): AsyncGenerator<Raised> {
  const choices = new ChoicesOf(events)
  try {
    while (!choices.isOver)
      for await (const yielded of raise(choices.next()))
        yield ('type' in yielded ? [yielded] : yielded).map(event => choices.restored(event))
  } finally {
    await choices.close()
  }
}

/** The events of a reply, choice by choice. */
class ChoicesOf {
  readonly #events: AsyncIterator<Raised>
  #list: readonly RaisedEvent[] = []
  isOver = false

  constructor(events: AsyncIterable<Raised>) {
    this.#events = events[Symbol.asyncIterator]()
  }

  /** The events of the next choice, which ends with a `finish`. What follows the last one belongs to it. */
  async *next(): AsyncGenerator<Raised> {
    for (;;) {
      const end = this.#list.findIndex(({ type }) => type === 'choice')
      if (end >= 0) {
        const { reason } = this.#list[end] as Extract<RaisedEvent, { type: 'choice' }>
        const rest = this.#list.slice(end + 1)
        const choice = this.#list.slice(0, end)
        this.#list = rest
        return yield [...choice, { type: 'finish', reason }]
      }
      const list = this.#list
      this.#list = []
      if (list.some(({ type }) => type === 'finish')) this.isOver = true
      if (list.length > 0) yield list
      const { done, value } = await this.#events.next()
      if (done) {
        this.isOver = true
        return
      }
      this.#list = 'type' in value ? [value] : value
      // An empty list shows that the provider is alive.
      if (this.#list.length === 0) yield []
    }
  }

  restored(event: RaisedEvent): RaisedEvent {
    return event.type === 'finish' && !this.isOver ? { type: 'choice', reason: event.reason } : event
  }

  async close(): Promise<void> {
    await this.#events.return?.()
  }
}
