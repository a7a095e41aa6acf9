import type { FinishReason } from '../contracts/events.ts'
import type { ItemEvent } from '../contracts/item-events.ts'
import type { GenerationSink } from '../contracts/route.ts'
import type { Ids } from '../foundation/ids.ts'
import { ItemStage } from './item-stage.ts'
import type { OutputGuards } from '../guards/output-guards.ts'
import type { RaisedEvent } from './raised-event.ts'
import type { Seal } from './state.ts'
import { Transcript } from './transcript.ts'

/**
 * The answer of one generation across all rounds. Turns events into items, keeps them in the transcript, and passes them through the output
 * guards to the sink.
 */
export class Answer {
  readonly transcript = new Transcript()
  readonly #stage: ItemStage
  readonly #sink: GenerationSink
  #guards: OutputGuards | undefined
  #seal: Seal = unsealed

  constructor(ids: Ids, sink: GenerationSink) {
    this.#sink = sink
    this.#stage = new ItemStage(ids, event => this.#tell(event))
  }

  /** Called before the first event. */
  guardBy(guards: OutputGuards | undefined): void {
    this.#guards = guards
  }

  /** A provider's state leaves the gateway sealed and bound to the attempt that produced it. */
  sealBy(seal: Seal): void {
    this.#seal = seal
  }

  write(event: RaisedEvent): void {
    this.#stage.write(event)
  }

  pause(): void {
    this.#stage.pause()
  }

  end(finish: FinishReason): void {
    this.#stage.end(finish)
  }

  #tell(event: ItemEvent): void {
    this.transcript.add(event)
    const outward = this.#sealed(event)
    if (this.#guards) this.#guards.write(outward)
    else this.#sink.write(outward)
  }

  #sealed(event: ItemEvent): ItemEvent {
    if (event.type === 'reasoning-state') return { ...event, opaque: this.#seal('reasoning', event.opaque) }
    if (event.type !== 'item-open' || event.item.kind !== 'compaction') return event
    return { ...event, item: { ...event.item, opaque: this.#seal('compaction', event.item.opaque) } }
  }
}

function unsealed(): never {
  throw new Error('provider state arrived before its attempt was set')
}
