import type { FinishReason } from '../contracts/events.ts'
import type { ItemEvent } from '../contracts/item-events.ts'
import type { GenerationSink } from '../contracts/route.ts'
import type { Ids } from '../foundation/ids.ts'
import { ItemStage } from './item-stage.ts'
import type { AnswerGuards } from '../guards/answer-guards.ts'
import type { RaisedEvent } from './raised-event.ts'
import type { Seal } from '../routing/state.ts'
import { Transcript } from './transcript.ts'

/**
 * The answer of one generation across all rounds. Turns events into items, keeps them in the transcript, and passes them through the output
 * guards to the sink.
 */
export class Answer {
  /** What the model said: the input of the next round. */
  readonly transcript = new Transcript()
  readonly #stage: ItemStage
  readonly #sink: GenerationSink
  #guards: AnswerGuards | undefined
  #shown: Transcript = this.transcript
  #seal: Seal = unsealed

  constructor(ids: Ids, sink: GenerationSink) {
    this.#sink = sink
    this.#stage = new ItemStage(ids, event => this.#tell(event))
  }

  /** Called before the first event. */
  guardBy(guards: AnswerGuards | undefined): void {
    this.#guards = guards
    if (guards) this.#shown = new Transcript()
  }

  /** What the client saw: the output that is stored. */
  get shown(): Transcript {
    return this.#shown
  }

  /** Called by the guards with what they let through. */
  show(event: ItemEvent): void {
    this.#shown.add(event)
    this.#sink.write(this.#sealed(event))
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

  /** Call after the end. Waits until the guards have let everything through, and rejects if they do not. Undefined if nothing is held. */
  settled(): Promise<void> | undefined {
    return this.#guards?.settled()
  }

  #tell(event: ItemEvent): void {
    this.transcript.add(event)
    if (this.#guards) this.#guards.write(event)
    else this.#sink.write(this.#sealed(event))
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
