import type { Emit } from '../../contracts/adapter.ts'
import type { GenerationEvent } from '../../contracts/events.ts'
import type { Raise } from './draft.ts'

/** A raise that looks at one event after the other and waits for nothing; `begin` is called for each answer. */
export function raiseEach(begin: () => (event: GenerationEvent, emit: Emit) => void): Raise {
  return async function* (events) {
    const take = begin()
    for await (const yielded of events) {
      const raised: GenerationEvent[] = []
      const emit: Emit = event => void raised.push(event)
      if ('type' in yielded) take(yielded, emit)
      else for (const event of yielded) take(event, emit)
      // An empty list too: what is held back must not count as silence.
      yield raised
    }
  }
}
