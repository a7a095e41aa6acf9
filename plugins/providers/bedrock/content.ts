import { parseJson } from '../../../core/index.ts'
import { firstText, membersOf, type Emit } from '../../../core/kit.ts'
import { citationOf } from './citation.ts'
import { redactedState, signedState } from './reasoning-state.ts'
import type { WireBlock, WireCitation, WireDelta, WireStart, WireToolUse } from './wire-reply.ts'

/** The tool name of the vendor's web search. */
const webSearch = 'nova_grounding'

interface OpenBlock {
  readonly toolUse: WireToolUse | undefined
  /** The text of a thought, or the input of a search. */
  held: string
  signature: string
  redacted: Buffer[]
  thinks: boolean
  hasInput: boolean
  /** Where the block's text starts in its message. */
  readonly start: number
  readonly citations: WireCitation[]
}

/** Turns content blocks into events, streamed or whole. */
export class Content {
  readonly #emit: Emit
  readonly #form: 'summary' | 'full'
  readonly #open = new Map<number, OpenBlock>()
  readonly #searches = new Map<string, string>()
  /** Length of the open message. Annotations count from its start. */
  #messageLength = 0
  /** Where the last text of the open message starts. Citations may come in a separate block after it. */
  #lastTextStart = 0

  constructor(emit: Emit, form: 'summary' | 'full') {
    this.#emit = emit
    this.#form = form
  }

  whole(blocks: readonly WireBlock[]): void {
    blocks.forEach((block, index) => {
      const { toolUse, toolResult, reasoningContent, citationsContent } = block
      this.start(index, { ...(toolUse && { toolUse }), ...(toolResult && { toolResult }) })
      for (const delta of piecesOf(block)) this.delta(index, delta)
      if (toolUse) this.delta(index, { toolUse: { input: JSON.stringify(toolUse.input ?? {}) } })
      const { reasoningText, redactedContent } = reasoningContent ?? {}
      if (reasoningText) {
        this.delta(index, { reasoningContent: { text: reasoningText.text ?? '' } })
        this.delta(index, { reasoningContent: { signature: reasoningText.signature ?? '' } })
      }
      if (redactedContent) this.delta(index, { reasoningContent: { redactedContent } })
      for (const citation of citationsContent?.citations ?? []) this.delta(index, { citation })
      this.stop(index)
    })
  }

  start(index: number, { toolUse, toolResult }: WireStart): OpenBlock {
    const open: OpenBlock = {
      toolUse,
      held: '',
      signature: '',
      redacted: [],
      thinks: false,
      hasInput: false,
      start: this.#messageLength,
      citations: [],
    }
    this.#open.set(index, open)
    if (toolUse && !isServerTool(toolUse)) this.#startCall(index, toolUse)
    if (toolResult) this.#searched(toolResult.toolUseId ?? '', toolResult.status === 'error')
    return open
  }

  delta(index: number, { text, toolUse, reasoningContent, citation }: WireDelta): void {
    const open = this.#open.get(index) ?? this.start(index, {})
    if (text) this.#text(text)
    if (toolUse?.input) this.#input(index, open, toolUse.input)
    if (citation) open.citations.push(citation)
    if (!reasoningContent) return
    open.thinks = true
    if (reasoningContent.text) this.#thought(open, reasoningContent.text)
    open.signature += reasoningContent.signature ?? ''
    if (reasoningContent.redactedContent) open.redacted.push(Buffer.from(reasoningContent.redactedContent, 'base64'))
  }

  stop(index: number): void {
    const open = this.#open.get(index)
    if (!open) return
    this.#open.delete(index)
    if (open.thinks) this.#endThought(open)
    else if (open.toolUse && isServerTool(open.toolUse)) this.#search(open.toolUse, open.held)
    else if (open.toolUse && !open.hasInput) this.#emit({ type: 'tool-input', key: String(index), text: '{}' })
    else this.#annotate(open)
  }

  #text(text: string): void {
    this.#messageLength += text.length
    this.#emit({ type: 'text', text })
  }

  #annotate({ start, citations }: OpenBlock): void {
    const hasText = this.#messageLength > start
    if (hasText) this.#lastTextStart = start
    const from = hasText ? start : this.#lastTextStart
    for (const each of citations) {
      const citation = citationOf(each)
      if (citation && this.#messageLength > from) this.#emit({ type: 'annotation', citation, start: from, end: this.#messageLength })
    }
  }

  #thought(open: OpenBlock, text: string): void {
    open.held += text
    this.#other({ type: 'reasoning', text, form: this.#form })
  }

  #endThought({ held, signature, redacted }: OpenBlock): void {
    if (redacted.length > 0) this.#other({ type: 'reasoning-state', opaque: redactedState(Buffer.concat(redacted).toString('base64')) })
    else if (signature !== '') this.#other({ type: 'reasoning-state', opaque: signedState(held, signature) })
    else this.#other({ type: 'item-end' })
  }

  #startCall(index: number, { toolUseId, name = '' }: WireToolUse): void {
    this.#other({ type: 'tool-call', key: String(index), ...(toolUseId !== undefined && { callId: toolUseId }), name })
  }

  #input(index: number, open: OpenBlock, text: string): void {
    open.hasInput = true
    if (open.toolUse && isServerTool(open.toolUse)) open.held += text
    else this.#emit({ type: 'tool-input', key: String(index), text })
  }

  /** The vendor's other tools have no item here, but the texts before and after them are separate. */
  #search({ toolUseId = '', name }: WireToolUse, input: string): void {
    if (name !== webSearch) return this.#other({ type: 'item-end' })
    const query = queryIn(input)
    this.#searches.set(toolUseId, query)
    this.#other({ type: 'search', key: toolUseId, status: 'in_progress', action: { type: 'search', query } })
  }

  #searched(key: string, failed: boolean): void {
    const query = this.#searches.get(key)
    if (query === undefined) return
    this.#other({ type: 'search', key, status: failed ? 'failed' : 'completed', action: { type: 'search', query } })
  }

  /** Anything but text ends the open message. */
  #other(event: Parameters<Emit>[0]): void {
    this.#messageLength = 0
    this.#lastTextStart = 0
    this.#emit(event)
  }
}

function piecesOf({ text, citationsContent }: WireBlock): readonly WireDelta[] {
  return [text, ...(citationsContent?.content ?? []).map(piece => piece.text)].flatMap(each => (each ? [{ text: each }] : []))
}

function isServerTool({ type }: WireToolUse): boolean {
  return type === 'server_tool_use'
}

function queryIn(json: string): string {
  return firstText(membersOf(parseJson(json))['query']) ?? ''
}
