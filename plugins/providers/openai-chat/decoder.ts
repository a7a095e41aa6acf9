import { frameJson, type Decoder, type Emit, type ProviderCall } from '../../../core/index.ts'
import { Answer } from './answer.ts'
import { failureInside } from './failure.ts'
import type { Host } from './hosts.ts'
import type { ChatBody } from './wire.ts'

/** A streamed reply. The end is held back until the stream is over: hosts go on after a `finish_reason`, repeat it, and send usage behind it. */
export class ChatDecoder implements Decoder {
  readonly #host: Host
  readonly #answer: Answer
  #hasBegun = false
  #isOver = false
  #reason: string | undefined

  constructor(call: ProviderCall, host: Host) {
    this.#host = host
    this.#answer = new Answer(call, host)
  }

  frame(data: string, event: string | undefined, emit: Emit): void {
    if (data === '[DONE]') return this.#done(emit)
    const body = frameJson(data) as ChatBody
    this.#answer.envelope(body, emit)
    const choice = body.choices?.find(({ index }) => (index ?? 0) === 0)
    if (choice) {
      this.#hasBegun = true
      if (choice.delta) this.#answer.say(choice.delta, choice.logprobs, false, emit)
      if (choice.finish_reason) this.#reason = choice.finish_reason
    }
    const error = body.error ?? body.x_groq?.error ?? choice?.error ?? (event === 'error' || body.object === 'error' ? body : undefined)
    if (error) throw failureInside(error, data)
  }

  /** Without `[DONE]`, which some hosts never send, only a `finish_reason` tells an end from a cut. */
  end(emit: Emit): void {
    if (this.#reason !== undefined && !this.#host.endsWithDone) this.#done(emit)
  }

  #done(emit: Emit): void {
    if (this.#isOver || !this.#hasBegun) return
    this.#isOver = true
    this.#answer.finish(this.#reason, emit)
  }
}
