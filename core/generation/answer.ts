import type { FinishReason } from '../contracts/events.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { SearchEvent, ToolEvent } from '../contracts/tool.ts'
import type { Item } from '../contracts/items.ts'
import type { ItemEvent } from '../contracts/item-events.ts'
import type { GenerationSink } from '../contracts/route.ts'
import type { Ids } from '../foundation/ids.ts'
import { idOfNew } from './item-ids.ts'
import { ItemStage } from './item-stage.ts'
import type { AnswerGuards } from '../guards/answer-guards.ts'
import { CheckedCalls, type CallToCheck } from './checked-calls.ts'
import type { RaisedEvent, StagedEvent } from './raised-event.ts'
import type { Seal } from '../routing/state.ts'
import { Citations } from './tools/citations.ts'
import type { HeldCalls } from './tools/held-calls.ts'
import { Transcript } from './transcript.ts'

/**
 * The answer of one generation across all rounds. Turns events into items, keeps them in the transcript, and passes them through the output
 * guards to the sink.
 */
export class Answer {
  /** The output of the model, for continuing after a pause. */
  readonly transcript = new Transcript()
  readonly #ids: Ids
  readonly #stage: ItemStage
  readonly #sink: GenerationSink
  #guards: AnswerGuards | undefined
  #shown: Transcript = this.transcript
  #seal: Seal = unsealed
  #held: HeldCalls | undefined
  #citations: Citations | undefined
  #checked: CheckedCalls | undefined

  constructor(ids: Ids, sink: GenerationSink) {
    this.#ids = ids
    this.#sink = sink
    this.#stage = new ItemStage(ids, event => this.#staged(event))
  }

  /** Called before the first event. */
  guardBy(guards: AnswerGuards | undefined): void {
    this.#guards = guards
    if (guards) this.#shown = new Transcript()
  }

  /** Keeps the calls of the gateway's tools from the client. Called before the first event. */
  hold(calls: HeldCalls): void {
    this.#held = calls
  }

  /** Cites pages that the gateway's searches find, now and earlier in the conversation. Called before the first event. */
  cite(conversation: readonly Item[], count: (event: GenerationEvent) => void): void {
    this.#citations = new Citations(count, event => this.#sink.write(event))
    this.#citations.remember(conversation)
  }

  /** The transcript to store: the output that the client saw, and calls and outputs of the gateway's tools. */
  get shown(): Transcript {
    return this.#shown
  }

  /** Called by the guards with the events that they let through. */
  show(event: ItemEvent): void {
    this.#shown.add(event, this.#seal)
    this.#deliver(event)
  }

  /** Shows a compaction that the gateway made. Called before the first event. */
  showCompaction(sealed: string): void {
    this.#stage.showCompaction(sealed)
  }

  /** Shows the work of one of the gateway's tools. `showTool` shows its result. */
  beginTool(event: SearchEvent): void {
    this.#stage.beginSearch(event)
  }

  /** Shows the result of one of the gateway's tools. */
  showTool(event: ToolEvent): void {
    if (event.type === 'search') this.#stage.endSearch(event)
    else this.#stage.write(event)
  }

  /** Adds the output of one of the gateway's tools to the conversation. The client does not see it. */
  addOutput(callId: string, output: string): void {
    this.#shown.addOutput({ id: idOfNew('function_call_output', this.#ids), callId, output })
  }

  /** The items that a tool of the gateway showed stand for the call. */
  replaceCall(callId: string): void {
    this.#shown.replaceCall(callId)
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

  /** The model waits for the results of its calls. */
  endRound(): void {
    this.#stage.endRound()
  }

  end(finish: FinishReason): void {
    this.#stage.end(finish)
  }

  /**
   * Call when a reply has ended. The calls that keep the rest of the answer back until they are checked: `release` ends that. Undefined if
   * nothing is kept back.
   */
  callsToCheck(finish: FinishReason): readonly CallToCheck[] | undefined {
    if (!this.#checked) return undefined
    if (finish !== 'pause') this.#stage.end(finish)
    return this.#checked.waiting
  }

  /** Shows the calls that were checked, and what follows them. */
  release(): void {
    this.#checked?.release()
  }

  /** Call when the answer has failed, so that its memory is free while its cost is counted. */
  forget(): void {
    this.transcript.forget()
    this.#shown.forget()
  }

  /** Call after a round or the end. Waits until the guards have let everything through, and rejects if they do not. Undefined if nothing is held. */
  settled(): Promise<void> | undefined {
    return this.#guards?.settled()
  }

  #staged(event: StagedEvent): void {
    if (!this.#checked) {
      if (!('check' in event)) return this.#tell(event)
      this.#checked = new CheckedCalls(shown => this.#tell(shown), this.#hide)
    }
    this.#checked.write(event)
  }

  /** A call as the model wrote it counts as generated, even if it is never shown. */
  readonly #hide = (event: ItemEvent): void => {
    this.transcript.add(event, this.#seal)
    if (event.type === 'item-open') this.transcript.hideCall()
  }

  #tell(event: ItemEvent): void {
    this.#held?.take(event)
    this.transcript.add(event, this.#seal)
    if (this.#guards) this.#guards.write(event)
    else this.#deliver(event)
  }

  #deliver(event: ItemEvent): void {
    if (this.#held?.hides(event)) return
    if (this.#citations) this.#citations.write(this.#sealed(event))
    else this.#sink.write(this.#sealed(event))
  }

  #sealed(event: ItemEvent): ItemEvent {
    if (event.type === 'reasoning-state') return { ...event, opaque: this.#seal('reasoning', event.opaque) }
    if (event.type !== 'item-open' || event.item.kind !== 'compaction' || event.item.byGateway) return event
    return { ...event, item: { ...event.item, opaque: this.#seal('compaction', event.item.opaque) } }
  }
}

function unsealed(): never {
  throw new Error('provider state arrived before its attempt was set')
}
