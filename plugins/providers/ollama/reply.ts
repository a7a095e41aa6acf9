import type { FinishReason, ProviderCall } from '../../../core/index.ts'
import { tokenCount, tokenCountIfAny, type Emit, type LogProb } from '../../../core/kit.ts'
import { failureInside } from './failure.ts'
import { settingsFor } from './settings.ts'
import type { WireLogprob, WireMessage, WireReply } from './wire-reply.ts'

/** Collects a reply. A stream is a sequence of replies that each add to it, and a whole reply is one of them. */
export class Reply {
  readonly #call: ProviderCall
  readonly #emit: Emit
  #begun = false
  #model = ''
  #calls = 0
  #hasSaid = false
  /** Probabilities arrive before their text, while the server checks whether it is a call. */
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
    if (thinking || content || calls?.length) this.#hasSaid = true
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

  /** Older servers leave out the count of a cached prompt. Then there is no usage. All leave out a count of no output. */
  #end({ done_reason: reason, prompt_eval_count: input, eval_count }: WireReply): void {
    const output = this.#hasSaid ? tokenCount(eval_count) : tokenCountIfAny(eval_count)
    if (input !== undefined)
      this.#emit({
        type: 'usage',
        usage: { uncachedInput: tokenCount(input), cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0 },
      })
    const finish = finishReasonOf(reason)
    if (finish) this.#emit({ type: 'finish', reason: finish === 'stop' && this.#calls > 0 ? 'tool-calls' : finish })
  }
}

/** The finish reason, unless the server only loaded or unloaded the model. Old servers send no reason. */
function finishReasonOf(reason: string | undefined): FinishReason | undefined {
  if (reason === 'load' || reason === 'unload') return undefined
  return reason === 'length' ? 'length' : 'stop'
}

function logprobOf({ token = '', logprob = 0, bytes, top_logprobs: top }: WireLogprob): LogProb {
  return { token, logprob, ...(bytes && { bytes }), ...(top && { top_logprobs: top.map(logprobOf) }) }
}
