import { parseJson, ProviderFailure } from '../../core/index.ts'
import { firstText, membersOf, type Emit, type SearchResult } from '../../core/kit.ts'
import { citationOf, type WireCitation } from './citation.ts'
import { reasoningState } from './reasoning-state.ts'

/** A content block, as it starts in a stream or complete in a reply. Its members depend on its type. */
export interface WireBlock {
  readonly type?: string
  readonly text?: string
  readonly citations?: readonly WireCitation[] | null
  readonly caller?: unknown
  readonly thinking?: string
  readonly signature?: string
  readonly data?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly tool_use_id?: string
  readonly content?: unknown
}

export interface WireDelta {
  readonly type?: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly partial_json?: string
  readonly citation?: WireCitation
  readonly content?: string | null
}

interface OpenBlock {
  block: WireBlock
  readonly key: string
  /** Collected until the block ends: a thought, a call's input, a compaction. */
  held: string
  signature: string
  /** Where the block's text starts in its message. */
  readonly start: number
  readonly citations: WireCitation[]
}

/**
 * Turns content blocks into events, streamed or whole: a whole block starts with all of its content.
 * Thoughts are summaries, because that is what the vendor returns for all current models ("Thinking", summarized thinking).
 */
export class Content {
  readonly #open = new Map<number, OpenBlock>()
  readonly #searches = new Map<string, string>()
  readonly #emit: Emit
  /** The caller speaks this dialect, and gets what only it can say. */
  readonly #isOwn: boolean
  /** Length of the open message. Annotations count from its start. */
  #messageLength = 0
  #calls = 0

  constructor(emit: Emit, isOwn: boolean) {
    this.#emit = emit
    this.#isOwn = isOwn
  }

  whole(blocks: readonly WireBlock[]): void {
    blocks.forEach((block, index) => {
      this.start(index, block)
      this.stop(index)
    })
  }

  start(index: number, block: WireBlock): void {
    const open: OpenBlock = {
      block,
      key: block.id ?? `call_${this.#calls}`,
      held: '',
      signature: block.signature ?? '',
      start: this.#messageLength,
      citations: [...(block.citations ?? [])],
    }
    this.#open.set(index, open)
    if (block.type === 'tool_use') this.#startCall(open)
    else if (block.type === 'text') this.#text(block.text ?? '')
    else if (block.type === 'thinking') this.#thought(open, block.thinking ?? '')
    else if (this.#isOwn) this.#messageLength = 0
    else if (block.type === 'web_search_tool_result') this.#searched(block)
    else if (this.#messageLength > 0 && !understood.has(block.type ?? '')) this.#closeItem()
    if (hasMembers(block.input)) open.held = JSON.stringify(block.input)
  }

  delta(index: number, delta: WireDelta): void {
    const open = this.#open.get(index)
    if (!open) return refuseStray(index, delta)
    switch (delta.type) {
      case 'text_delta':
        return this.#text(delta.text ?? '')
      case 'thinking_delta':
        return this.#thought(open, delta.thinking ?? '')
      case 'signature_delta':
        open.signature += delta.signature ?? ''
        return
      case 'input_json_delta':
        return this.#input(open, delta.partial_json ?? '')
      case 'citations_delta':
        if (delta.citation) open.citations.push(delta.citation)
        return
      case 'compaction_delta':
        open.held += delta.content ?? ''
        if (this.#isOwn) this.#grow(open, delta)
    }
  }

  stop(index: number): void {
    const open = this.#open.get(index)
    if (!open) return
    this.#open.delete(index)
    switch (open.block.type) {
      case 'text':
        this.#annotate(open)
        if (this.#isOwn) this.#endText(open)
        return
      case 'thinking':
        return this.#endThought(open)
      case 'redacted_thinking':
        return this.#other({ type: 'reasoning-state', opaque: reasoningState({ type: 'redacted_thinking', data: open.block.data ?? '' }) })
      case 'tool_use':
        return this.#endCall(open)
    }
    if (this.#isOwn) return this.#asSent(open)
    switch (open.block.type) {
      case 'server_tool_use':
        if (open.block.name === 'web_search') this.#search(open)
        return
      case 'compaction':
        return this.#compaction(open)
    }
  }

  #text(text: string): void {
    if (text === '') return
    this.#messageLength += text.length
    this.#emit({ type: 'text', text })
  }

  #annotate({ start, citations }: OpenBlock): void {
    for (const each of citations) {
      const citation = citationOf(each)
      if (citation && this.#messageLength > start) this.#emit({ type: 'annotation', citation, start, end: this.#messageLength })
    }
  }

  #thought(open: OpenBlock, text: string): void {
    if (text === '') return
    open.held += text
    this.#other({ type: 'reasoning', text, form: 'summary' })
  }

  #endThought({ held, signature }: OpenBlock): void {
    if (signature !== '') this.#other({ type: 'reasoning-state', opaque: reasoningState({ type: 'thinking', thinking: held, signature }) })
    else this.#closeItem()
    // The surface shows state without words as redacted.
    if (this.#isOwn && signature !== '' && held === '') this.#emit({ type: 'extra', at: 'item', fields: { type: 'thinking' } })
  }

  /** Blocks of text stay apart, each with its citations in the vendor's words. */
  #endText({ citations }: OpenBlock): void {
    if (this.#messageLength === 0) return
    if (citations.length > 0) this.#emit({ type: 'extra', at: 'item', fields: { citations } })
    this.#closeItem()
  }

  /** A block that no other event can say. */
  #asSent({ block, held }: OpenBlock): void {
    const { input, ...rest } = block
    const whole =
      block.type === 'compaction' && held !== ''
        ? { ...block, content: held }
        : input === undefined
          ? rest
          : { ...rest, input: inputIn(held) }
    this.#other({ type: 'item', item: { type: 'vendor', extra: whole } })
  }

  /** Members of a block that come in pieces. */
  #grow(open: OpenBlock, { type: _, content: _content, ...more }: WireDelta): void {
    if (Object.keys(more).length > 0) open.block = { ...open.block, ...more }
  }

  #startCall({ key, block }: OpenBlock): void {
    this.#calls += 1
    this.#other({ type: 'tool-call', key, ...(block.id !== undefined && { callId: block.id }), name: block.name ?? '' })
    if (!this.#isOwn) return
    const { type: _type, id: _id, name: _name, input: _input, ...fields } = block
    if (Object.keys(fields).length > 0) this.#emit({ type: 'extra', at: 'item', fields })
  }

  #input(open: OpenBlock, json: string): void {
    if (hasMembers(open.block.input)) return
    open.held += json
    if (open.block.type === 'tool_use' && json !== '') this.#emit({ type: 'tool-input', key: open.key, text: json })
  }

  #endCall({ key, block, held }: OpenBlock): void {
    if (held === '' || hasMembers(block.input)) this.#emit({ type: 'tool-input', key, text: held || '{}' })
  }

  #search({ key, held }: OpenBlock): void {
    const query = queryIn(held)
    this.#searches.set(key, query)
    this.#other({ type: 'search', key, status: 'in_progress', action: { type: 'search', query } })
  }

  #searched({ tool_use_id: key = '', content }: WireBlock): void {
    const query = this.#searches.get(key) ?? ''
    if (!Array.isArray(content)) return this.#other({ type: 'search', key, status: 'failed', action: { type: 'search', query } })
    // The text of a result is encrypted.
    const results = content
      .map(membersOf)
      .flatMap(({ url, title }): readonly SearchResult[] =>
        typeof url === 'string' ? [{ url, ...(typeof title === 'string' && { title }) }] : [],
      )
    const sources = results.map(({ url }) => ({ type: 'url' as const, url }))
    this.#other({ type: 'search', key, status: 'completed', action: { type: 'search', query, sources }, results })
  }

  #compaction({ block, held }: OpenBlock): void {
    this.#other({ type: 'compaction', opaque: JSON.stringify(held === '' ? block : { ...block, content: held }) })
  }

  /** The vendor's own tools have no item here, but the texts before and after them are separate. */
  #closeItem(): void {
    this.#other({ type: 'item-end' })
  }

  /** Anything but text ends the open message. */
  #other(event: Parameters<Emit>[0]): void {
    this.#messageLength = 0
    this.#emit(event)
  }
}

const understood = new Set(['redacted_thinking', 'compaction'])

function hasMembers(input: unknown): boolean {
  return Object.keys(membersOf(input)).length > 0
}

/** Throws for content of a block that has not started or has ended: the answer would lack it. */
function refuseStray(index: number, { type = '' }: WireDelta): void {
  if (!contents.has(type)) return
  const message = `The provider sent a ${type} for the content block ${index}, which is not open.`
  throw new ProviderFailure({ kind: 'protocol', message })
}

const contents = new Set(['text_delta', 'thinking_delta', 'input_json_delta'])

function inputIn(json: string): unknown {
  return json === '' ? {} : (parseJson(json) ?? {})
}

function queryIn(json: string): string {
  return firstText(membersOf(parseJson(json))['query']) ?? ''
}
