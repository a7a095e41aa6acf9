import { type Emit, type FinishReason, type LogProb, type ProviderCall } from '../../../core/index.ts'
import { failureInside } from './failure.ts'
import { settingsFor } from './settings.ts'
import type { WireLogprob, WireMessage, WireReply } from './wire-reply.ts'

/** What a reply says as a whole. A stream is a row of replies that each add to it; a reply that does not stream is one of them. */
export class Reply {
  readonly #call: ProviderCall
  readonly #emit: Emit
  #begun = false
  #model = ''
  #calls = 0
  /** Probabilities come before the text that they are of, while the server looks whether it is a call. */
  #logprobs: LogProb[] = []

  constructor(call: ProviderCall, emit: Emit) {
    this.#call = call
    this.#emit = emit
  }

  add(reply: WireReply): void {
    if (reply.error !== undefined) throw failureInside(reply)
    this.#begin(reply)
    this.#say(reply.message ?? {}, reply.logprobs?.map(logprobOf) ?? [])
    if (reply.done) this.#end(reply)
  }

  #begin({ model = '' }: WireReply): void {
    if (!this.#begun) for (const warning of settingsFor(this.#call).warnings) this.#emit({ type: 'warning', ...warning })
    this.#begun = true
    if (model === '' || model === this.#model) return
    this.#model = model
    this.#emit({ type: 'model', model })
  }

  #say({ thinking, content, tool_calls: calls }: WireMessage, logprobs: readonly LogProb[]): void {
    if (thinking) this.#emit({ type: 'reasoning', text: thinking, form: 'full' })
    else this.#logprobs.push(...logprobs)
    if (content) {
      this.#emit(this.#logprobs.length > 0 ? { type: 'text', text: content, logprobs: this.#logprobs } : { type: 'text', text: content })
      this.#logprobs = []
    }
    for (const { id, function: called } of calls ?? []) {
      this.#logprobs = []
      this.#calls += 1
      const key = `call_${this.#calls}`
      this.#emit({ type: 'tool-call', key, ...(id && { callId: id }), name: called?.name ?? '' })
      this.#emit({ type: 'tool-input', key, text: JSON.stringify(called?.arguments ?? {}) })
    }
  }

  /** Older servers leave out the count of a prompt that they had in their cache: then there is no count. */
  #end({ done_reason: reason, prompt_eval_count: input, eval_count: output = 0 }: WireReply): void {
    if (input !== undefined)
      this.#emit({
        type: 'usage',
        usage: { uncachedInput: input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0 },
      })
    const finish = finishReasonOf(reason)
    if (finish) this.#emit({ type: 'finish', reason: finish === 'stop' && this.#calls > 0 ? 'tool-calls' : finish })
  }
}

/** Undefined for what ends no answer: a server that only loaded or unloaded the model. Old servers tell no reason. */
function finishReasonOf(reason: string | undefined): FinishReason | undefined {
  if (reason === 'load' || reason === 'unload') return undefined
  return reason === 'length' ? 'length' : 'stop'
}

function logprobOf({ token = '', logprob = 0, bytes, top_logprobs: top }: WireLogprob): LogProb {
  return { token, logprob, ...(bytes && { bytes }), ...(top && { top_logprobs: top.map(logprobOf) }) }
}
