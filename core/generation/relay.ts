import type { FinishReason, GenerationEvent, TokenUsage } from '../contracts/events.ts'
import type { GenerationSink } from '../contracts/route.ts'
import { cutShort } from '../upstream/cut-short.ts'
import type { Attempt } from './attempt.ts'
import { soundUsage } from './cost.ts'
import type { OutputGuards } from './output-guards.ts'
import type { StateKind } from './state.ts'
import type { Transcript } from './transcript.ts'

export type Seal = (kind: StateKind, opaque: string) => string

/** Carries the events of one round from its attempt to the transcript and, through the output filters, to the sink. */
export class Relay {
  readonly #attempt: Attempt
  readonly #transcript: Transcript
  readonly #filter: OutputGuards | undefined
  readonly #sink: GenerationSink
  /** A provider's state leaves the gateway sealed, bound to where it came from. */
  readonly #seal: Seal
  #told: TokenUsage | undefined
  finish: FinishReason | undefined

  constructor(attempt: Attempt, transcript: Transcript, filter: OutputGuards | undefined, sink: GenerationSink, seal: Seal) {
    this.#attempt = attempt
    this.#transcript = transcript
    this.#filter = filter
    this.#sink = sink
    this.#seal = seal
  }

  /** The last that the provider told, as far as the round has come. Some tell it with every piece of text. */
  get usage(): TokenUsage | undefined {
    return this.#told && soundUsage(this.#told)
  }

  /** To the finish. While the client lags nothing is read, and the attempt's clock stands still. */
  async run(): Promise<void> {
    const attempt = this.#attempt
    for (const event of attempt.head) this.#deliver(event)
    while (!this.finish) {
      if (this.#sink.full) {
        attempt.pause()
        await attempt.unlessAborted(this.#sink.drained())
        attempt.resume()
      }
      const event = attempt.take() ?? (await attempt.next())
      if (!event) break
      this.#deliver(event)
    }
    if (!this.finish) throw cutShort(attempt.candidate.provider.id)
    // Some providers tell the usage after the end.
    for (let event = attempt.take() ?? (await attempt.last()); event; event = attempt.take())
      if (event.type === 'usage') this.#told = event.usage
  }

  #deliver(event: GenerationEvent): void {
    if (event.type === 'usage') this.#told = event.usage
    else if (event.type === 'finish') this.finish = event.reason
    else if (event.type !== 'model' && event.type !== 'warning') this.#pass(this.#sealed(this.#transcript.add(event)))
  }

  #pass(event: GenerationEvent): void {
    if (this.#filter) this.#filter.write(event)
    else this.#sink.write(event)
  }

  #sealed(event: GenerationEvent): GenerationEvent {
    if (event.type === 'reasoning-state') return { ...event, opaque: this.#seal('reasoning', event.opaque) }
    return event.type === 'compaction' ? { ...event, opaque: this.#seal('compaction', event.opaque) } : event
  }
}
