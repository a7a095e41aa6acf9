import type { FinishReason, JsonObject } from '../../../core/index.ts'
import type { ItemDelta, ItemEvent, LogProb, OpenedItem } from '../../../core/kit.ts'
import { CallPart } from './call-part.ts'
import { Citations } from './citations.ts'
import { reasons } from './finish.ts'
import { logprobsResult } from './logprobs.ts'
import { unshown, type OpenPart, type PartContext } from './open-part.ts'
import { SearchPart } from './search-part.ts'
import { TextPart } from './text-part.ts'
import { ThoughtPart } from './thought-part.ts'
import { wholePart } from './whole-part.ts'

/** Where the parts of a candidate go while they come. Absent if the answer does not stream. */
export interface PartSink {
  send(part: JsonObject): void
  sendText(text: string, isThought: boolean): void
}

/** A candidate at its end: whole, and without what the stream has told. */
export interface EndedCandidate {
  readonly whole: JsonObject
  readonly last: JsonObject
  readonly isEmpty: boolean
}

/** One candidate while it grows: turns core's items into its parts. */
export class Candidate {
  readonly #index: number
  readonly #out: PartSink | undefined
  readonly #context: PartContext
  readonly #parts: JsonObject[] = []
  readonly #citations = new Citations()
  readonly #logprobs: LogProb[] = []
  #open: OpenPart = unshown
  #isOpen = false
  /** For the next item. */
  #itemExtra: JsonObject | undefined
  /** In the words of the vendor. */
  #members: JsonObject = nothing
  /** Those that the stream has not told yet. */
  #news: JsonObject = nothing
  #finishExtra: JsonObject = nothing
  #signature: { readonly text: string; readonly hasThought: boolean } | undefined

  constructor(index: number, out: PartSink | undefined) {
    this.#index = index
    this.#out = out
    const parts = this.#parts
    this.#context = {
      streaming: out !== undefined,
      citations: this.#citations,
      get parts() {
        return parts.length
      },
      send: part => out!.send(part),
      sendText: (text, isThought) => out!.sendText(text, isThought),
      keep: part => void parts.push(part),
      sign: (text, hasThought) => this.#sign(text, hasThought),
      takeSignature: () => this.#takeSignature(),
      logprobs: tokens => void this.#logprobs.push(...tokens),
    }
  }

  write(event: Exclude<ItemEvent, { type: 'extra' | 'choice' }>): void {
    switch (event.type) {
      case 'item-open': {
        const extra = this.#itemExtra
        this.#itemExtra = undefined
        this.#isOpen = true
        this.#open = this.#partOf(event.item, extra ?? nothing)
        return
      }
      case 'item-close':
        this.#isOpen = false
        return this.#open.close()
      default:
        return this.#open.write(event satisfies ItemDelta)
    }
  }

  /** Members of the open part, or of the next one. */
  extra(fields: JsonObject): void {
    if (this.#isOpen) this.#open.extra(fields)
    else this.#itemExtra = { ...this.#itemExtra, ...fields }
  }

  add(members: JsonObject): void {
    this.#members = { ...this.#members, ...members }
    this.#news = { ...this.#news, ...members }
  }

  ended(fields: JsonObject): void {
    this.#finishExtra = fields
  }

  get hasNews(): boolean {
    return this.#news !== nothing
  }

  /** A piece for the stream. */
  piece(part: JsonObject): JsonObject {
    const piece = { content: { parts: [part], role: 'model' }, index: this.#index, ...this.#news }
    this.#news = nothing
    return piece
  }

  /** Called once, when nothing more comes. */
  end(finish: FinishReason): EndedCandidate {
    this.#flushSignature()
    const grounding = hasSources(this.#members) ? undefined : this.#citations.metadata
    const told = {
      finishReason: reasons[finish],
      ...this.#finishExtra,
      index: this.#index,
      ...(grounding && { groundingMetadata: grounding }),
      ...(this.#logprobs.length > 0 && !this.#members['logprobsResult'] && { logprobsResult: logprobsResult(this.#logprobs) }),
    }
    const isEmpty = this.#parts.length === 0
    const content = { ...(!isEmpty && { parts: this.#parts }), role: 'model' }
    return {
      whole: { content, ...told, ...this.#members },
      last: { content: { parts: [{ text: '' }], role: 'model' }, ...told, ...this.#news },
      isEmpty,
    }
  }

  #partOf(item: OpenedItem, extra: JsonObject): OpenPart {
    const context = this.#context
    switch (item.kind) {
      case 'message':
        return new TextPart(context, extra)
      case 'reasoning':
        return new ThoughtPart(context)
      case 'call':
        return new CallPart(context, item, extra)
      case 'search':
        return new SearchPart(context, item)
      case 'compaction':
        return unshown
      case 'foreign':
        return item.item.type === 'vendor' ? wholePart(context, item.item['extra'] as JsonObject) : unshown
    }
  }

  /** Two states in a row: the first one stands alone. */
  #sign(text: string, hasThought: boolean): void {
    this.#flushSignature()
    this.#signature = { text, hasThought }
  }

  #takeSignature(): string | undefined {
    const signature = this.#signature?.text
    this.#signature = undefined
    return signature
  }

  #flushSignature(): void {
    if (!this.#signature) return
    const { text: thoughtSignature, hasThought } = this.#signature
    this.#signature = undefined
    const part = { text: '', ...(hasThought && { thought: true }), thoughtSignature }
    this.#out?.send(part)
    this.#parts.push(part)
  }
}

const nothing: JsonObject = {}

/** The vendor's own say the same, and more. */
function hasSources({ groundingMetadata, citationMetadata }: JsonObject): boolean {
  return groundingMetadata !== undefined || citationMetadata !== undefined
}
