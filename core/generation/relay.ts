import type { FinishReason, TokenUsage } from '../contracts/events.ts'
import type { GenerationSink } from '../contracts/route.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import type { Answer } from './answer.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { soundUsage } from '../billing/cost.ts'
import type { RaisedEvent } from './raised-event.ts'

/** Carries the events of one round from its attempt to the answer. */
export class Relay {
  readonly #attempt: Attempt<RaisedEvent>
  readonly #answer: Answer
  readonly #sink: GenerationSink
  #told: TokenUsage | undefined
  finish: FinishReason | undefined

  constructor(attempt: Attempt<RaisedEvent>, answer: Answer, sink: GenerationSink) {
    this.#attempt = attempt
    this.#answer = answer
    this.#sink = sink
  }

  /** The latest usage that the provider reported in this round. Some providers report it with every piece of text. */
  get usage(): TokenUsage | undefined {
    return this.#told && soundUsage(this.#told)
  }

  /** Runs until the finish. While the client lags, nothing is read and the attempt's clock is paused. */
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
    // Some providers report usage after the finish.
    for (let event = attempt.take() ?? (await attempt.last()); event; event = attempt.take())
      if (event.type === 'usage') this.#told = event.usage
    if (this.finish === 'pause') this.#answer.pause()
  }

  #deliver(event: RaisedEvent): void {
    if (event.type === 'usage') this.#told = event.usage
    else if (event.type === 'finish') this.finish = event.reason
    else if (event.type !== 'model' && event.type !== 'warning') this.#answer.write(event)
  }
}
