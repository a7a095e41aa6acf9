import type { ProviderCall } from '../../core/index.ts'
import { repeatedFrames, type Decoder, type Emit } from '../../core/kit.ts'
import { Answer, isCounted } from './answer.ts'
import { failureInside } from './failure.ts'
import type { ChatHost } from './chat-host.ts'
import type { ChatBody } from './wire.ts'

/** State for one streamed reply. */
export function decoder(call: ProviderCall, host: ChatHost): Decoder {
  return new ChatDecoder(call, host)
}

/**
 * Holds the end back until the stream is over: hosts go on after a `finish_reason`, repeat it, and send usage after it.
 * Once both are in, everything else is ignored.
 */
class ChatDecoder implements Decoder {
  readonly #host: ChatHost
  readonly #answer: Answer
  readonly #read = repeatedFrames<ChatBody>(body => body?.choices?.[0]?.delta, ['content', 'reasoning_content', 'reasoning'])
  #hasBegun = false
  #isOver = false
  #isCounted = false
  #reason: string | undefined

  constructor(call: ProviderCall, host: ChatHost) {
    this.#host = host
    this.#answer = new Answer(call, host)
  }

  frame(data: string, event: string | undefined, emit: Emit): void {
    if (data === '[DONE]') return this.#done(emit)
    const body = this.#read(data)
    this.#answer.envelope(body, emit)
    const choice = body.choices?.find(({ index }) => (index ?? 0) === 0)
    if (choice) {
      this.#hasBegun = true
      this.#answer.beside(choice)
      if (choice.delta && !this.isComplete) this.#answer.say(choice.delta, choice.logprobs, false, emit)
      if (choice.finish_reason) this.#reason = choice.finish_reason
    }
    this.#answer.counts(body, emit)
    if (this.#reason !== undefined && isCounted(body)) this.#isCounted = true
    const error = body.error ?? body.x_groq?.error ?? choice?.error ?? (event === 'error' || body.object === 'error' ? body : undefined)
    if (error) throw failureInside(error, data)
  }

  /** `[DONE]` has arrived, or a finish reason with usage at or after it. Some hosts send usage with every chunk. */
  get isComplete(): boolean {
    return this.#isOver || this.#isCounted
  }

  /** Some hosts never send `[DONE]`. Then a `finish_reason` distinguishes a complete answer from one that was cut short. */
  end(emit: Emit): void {
    if (this.isComplete || (this.#reason !== undefined && !this.#host.endsWithDone)) this.#done(emit)
  }

  /** Proxies append `[DONE]` to streams that broke off. No host is known that ends a complete answer without a reason. */
  #done(emit: Emit): void {
    if (this.#isOver || !this.#hasBegun || this.#reason === undefined) return
    this.#isOver = true
    this.#answer.finish(this.#reason, emit)
  }
}
