import { ProviderFailure } from '../../../core/index.ts'
import type { Emit, LogProb } from '../../../core/kit.ts'
import { citationOf, utf16Offset } from './citation.ts'
import type { WireCitation, WireContent, WireLogprobs, WireToolCall } from './wire-reply.ts'

interface Text {
  /** Where the text starts in its message. */
  readonly start: number
  text: string
}

/** Turns a message's content into events, streamed or whole. Pieces are identified by their index. */
export class Content {
  readonly #emit: Emit
  readonly #texts = new Map<number, Text>()
  /** The length of the open message. Annotations count from its start. */
  #length = 0
  readonly #called = new Set<number>()
  /** The last call has no arguments yet. */
  #isBare = false

  constructor(emit: Emit) {
    this.#emit = emit
  }

  get calls(): number {
    return this.#called.size
  }

  /** A plan is the text before tool calls. */
  plan(text: string): void {
    if (text === '') return
    this.#emit({ type: 'text', text, phase: 'commentary' })
    this.#length += text.length
  }

  content(index: number, { text, thinking }: WireContent, logprobs: readonly WireLogprobs[]): void {
    if (thinking) {
      this.#other()
      this.#emit({ type: 'reasoning', text: thinking, form: 'full' })
    }
    if (!text) return
    const open = this.#texts.get(index)
    if (open) open.text += text
    else this.#texts.set(index, { start: this.#length, text })
    this.#length += text.length
    this.#emit(logprobs.length > 0 ? { type: 'text', text, logprobs: logprobs.map(each => logprobOf(each, text)) } : { type: 'text', text })
  }

  call(index: number, { id, function: called }: WireToolCall): void {
    this.#other()
    this.#called.add(index)
    this.#isBare = true
    this.#emit({ type: 'tool-call', key: keyOf(index), ...(id && { callId: id }), name: called?.name ?? '' })
    this.input(index, called?.arguments ?? '')
  }

  input(index: number, text: string): void {
    if (text === '') return
    if (!this.#called.has(index))
      throw new ProviderFailure({ kind: 'protocol', message: `The provider sent arguments of the call ${index}, which has not begun.` })
    this.#isBare = false
    this.#emit({ type: 'tool-input', key: keyOf(index), text })
  }

  /** The vendor sends no arguments for a call without any. */
  endCall(index: number): void {
    if (this.#isBare) this.input(index, '{}')
  }

  /** Skips citations in thoughts and plans, which the public protocol cannot express. */
  cite({ type = 'TEXT_CONTENT', content_index: index, start = 0, end = 0, sources }: WireCitation): void {
    const cited = index === undefined ? [...this.#texts.values()].at(-1) : this.#texts.get(index)
    if (type !== 'TEXT_CONTENT' || !cited) return
    const from = cited.start + utf16Offset(cited.text, start)
    const to = cited.start + utf16Offset(cited.text, end)
    for (const source of sources ?? []) {
      const citation = citationOf(source)
      if (citation && to > from) this.#emit({ type: 'annotation', citation, start: from, end: to })
    }
  }

  #other(): void {
    this.#length = 0
    this.#texts.clear()
  }
}

function keyOf(index: number): string {
  return `call_${index}`
}

/** The vendor sends pieces of one or more tokens. The probability of a piece is the product of its tokens' probabilities. */
function logprobOf({ text, logprobs }: WireLogprobs, whole: string): LogProb {
  return { token: text ?? whole, logprob: (logprobs ?? []).reduce((sum, each) => sum + each, 0) }
}
