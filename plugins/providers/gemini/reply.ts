import { membersOf, ProviderFailure, type Emit, type ProviderCall } from '../../../core/index.ts'
import { Content } from './content.ts'
import { failureInside } from './failure.ts'
import { blocked, endingOf } from './finish.ts'
import { settingsFor } from './settings.ts'
import { usageOf } from './usage.ts'
import type { WireCandidate, WireResponse, WireUsage } from './wire-reply.ts'

/** What a reply says as a whole. A stream is a row of responses that each add to it; a reply that does not stream is one of them. */
export class Reply {
  readonly #call: ProviderCall
  readonly #emit: Emit
  readonly #content: Content
  #begun = false
  #model = ''
  #usage: WireUsage | undefined
  /** Whether the last counts were told. */
  #counted = false
  #end: Pick<WireCandidate, 'finishReason' | 'finishMessage'> = {}
  /** The vendor runs code that the model wrote: the model goes on with the result, whatever reason to stop was told. */
  #runsCode = false
  #isComplete = false

  constructor(call: ProviderCall, emit: Emit) {
    this.#call = call
    this.#emit = emit
    this.#content = new Content(emit)
  }

  add(response: WireResponse): void {
    if (response.error) throw failureInside(response)
    this.#begin(response)
    const { promptFeedback, candidates } = response
    if (promptFeedback?.blockReason) throw blocked(promptFeedback.blockReason, promptFeedback.blockReasonMessage, JSON.stringify(response))
    for (const candidate of candidates ?? []) {
      if (candidate.index) continue
      if (!this.#isComplete) this.#content.add(candidate)
      // The reason may be told before the last piece, and again with another value.
      if (candidate.finishReason) {
        this.#end = candidate
        this.#runsCode = candidate.content?.parts?.at(-1)?.executableCode != null
      }
    }
    if (this.#end.finishReason && !this.#runsCode && response.usageMetadata?.candidatesTokenCount !== undefined) this.#isComplete = true
  }

  /** A reason to stop has come, and counts with it or after it. What follows is not part of the answer. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Emits nothing without a stop reason, because then the reply was cut short. */
  end(): void {
    const { finishReason: reason, finishMessage: message } = this.#end
    if (!reason) return
    const ending = endingOf(reason, message ?? undefined)
    if (ending === 'content-filter' && message) this.#content.refuse(message)
    const { searches, calls } = this.#content.end()
    if (this.#usage && (searches > 0 || !this.#counted))
      this.#emit({ type: 'usage', usage: { ...usageOf(this.#usage), ...(searches > 0 && { toolCalls: { web_search: searches } }) } })
    if (typeof ending === 'object') throw ending.failure
    if (this.#content.isMediaAlone)
      throw new ProviderFailure({
        kind: 'protocol',
        message: 'The model answered with an image or a sound alone, which has no place in a response here.',
      })
    this.#emit({ type: 'finish', reason: ending === 'stop' && calls > 0 ? 'tool-calls' : ending })
  }

  #begin({ modelVersion, usageMetadata }: WireResponse): void {
    if (!this.#begun) {
      this.#begun = true
      for (const warning of settingsFor(this.#call).warnings) this.#emit({ type: 'warning', ...warning })
    }
    if (modelVersion && modelVersion !== this.#model) {
      this.#model = modelVersion
      this.#emit({ type: 'model', model: modelVersion })
    }
    if (usageMetadata?.promptTokenCount !== undefined) this.#count(usageMetadata)
  }

  /** Counts without output are of no use before the end: who leaves early would be charged for nothing that was written. */
  #count(usage: WireUsage): void {
    this.#usage = usage
    this.#counted = usage.candidatesTokenCount !== undefined
    if (this.#counted) this.#emit({ type: 'usage', usage: usageOf(usage) })
  }
}

/** A reply that did not stream. */
export function replyEvents(body: unknown, emit: Emit, call: ProviderCall): void {
  const response = membersOf(body) as WireResponse
  if (!response.error && !response.candidates && !response.promptFeedback)
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent a reply that is not generated content.',
      upstream: JSON.stringify(body),
    })
  const whole = new Reply(call, emit)
  whole.add(response)
  whole.end()
}
