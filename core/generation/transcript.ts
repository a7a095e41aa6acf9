import type { ItemDelta, ItemEvent, OpenedCall, OpenedCompaction, OpenedItem, SearchEnd } from '../contracts/item-events.ts'
import type { Item, OutputTextPart, RefusalPart } from '../contracts/items.ts'
import { appended } from '../runtime/growing-text.ts'
import type { Seal } from '../routing/state.ts'
import type { Said } from './said.ts'

interface Message {
  readonly kind: 'message'
  readonly id: string
  readonly phase: 'commentary' | 'final_answer' | undefined
  readonly parts: { readonly kind: 'text' | 'refusal'; text: string }[]
}
interface Reasoning {
  readonly kind: 'reasoning'
  readonly id: string
  readonly summary: string[]
  readonly full: string[]
  state: { readonly opaque: string; readonly seal: Seal } | undefined
}
interface Call {
  readonly kind: 'call'
  readonly opened: OpenedCall
  input: string
  isReplaced: boolean
}
/** The output of one of the gateway's tools. */
interface Output {
  readonly kind: 'output'
  readonly id: string
  readonly callId: string
  readonly output: string
}
type Compaction = OpenedCompaction & { readonly seal: Seal }
type Whole = Exclude<OpenedItem, { kind: 'message' | 'reasoning' | 'call' | 'compaction' }>
type Entry = Message | Reasoning | Call | Output | Compaction | Whole

/** The output of one generation, as items. */
export class Transcript implements Said {
  readonly #entries: Entry[] = []

  /** `seal` encrypts the state of the provider that the event comes from. */
  add(event: ItemEvent, seal: Seal): void {
    if (event.type === 'item-open') this.#entries.push(entryOf(event.item, seal))
    else if (event.type === 'search-end') this.#endSearch(event)
    else if (event.type !== 'item-close' && event.type !== 'choice' && event.type !== 'extra') grow(this.#entries.at(-1)!, event, seal)
  }

  #endSearch({ type: _, ...found }: SearchEnd): void {
    const entry = this.#entries.at(-1)!
    if (entry.kind === 'search') this.#entries[this.#entries.length - 1] = { ...entry, ...found }
  }

  addOutput(output: Omit<Output, 'kind'>): void {
    this.#entries.push({ kind: 'output', ...output })
  }

  /** Other items replace the call, which still counts as generated. */
  replaceCall(callId: string): void {
    for (const entry of this.#entries) if (entry.kind === 'call' && entry.opened.callId === callId) entry.isReplaced = true
  }

  /** The open call is not part of the answer, or not yet, and still counts as generated. */
  hideCall(): void {
    const entry = this.#entries.at(-1)
    if (entry?.kind === 'call') entry.isReplaced = true
  }

  get characters(): number {
    return this.#entries.reduce((sum, entry) => textsOf(entry).reduce((length, text) => length + text.length, sum), 0)
  }

  textsAfter(characters: number): readonly string[] {
    const texts: string[] = []
    let left = characters
    for (const text of this.#entries.flatMap(textsOf)) {
      if (text.length > left) texts.push(text.slice(left))
      left = Math.max(0, left - text.length)
    }
    return texts
  }

  /** Frees its memory. */
  forget(): void {
    this.#entries.length = 0
  }

  /** With the state of providers sealed. */
  items(): readonly Item[] {
    return this.#entries.filter(entry => entry.kind !== 'call' || !entry.isReplaced).map(itemOf)
  }
}

function entryOf(item: OpenedItem, seal: Seal): Entry {
  switch (item.kind) {
    case 'message':
      return { kind: 'message', id: item.id, phase: item.phase, parts: [] }
    case 'reasoning':
      return { kind: 'reasoning', id: item.id, summary: [], full: [], state: undefined }
    case 'call':
      return { kind: 'call', opened: item, input: '', isReplaced: false }
    case 'compaction':
      return { ...item, seal }
    default:
      return item
  }
}

function grow(entry: Entry, event: ItemDelta, seal: Seal): void {
  if (entry.kind === 'message') {
    if (event.type !== 'text' && event.type !== 'refusal') return
    const last = entry.parts.at(-1)
    if (last?.kind === event.type) last.text = appended(last.text, event)
    else entry.parts.push({ kind: event.type, text: event.text })
  } else if (entry.kind === 'reasoning') {
    if (event.type === 'reasoning-state') entry.state = { opaque: event.opaque, seal }
    if (event.type !== 'reasoning') return
    const parts = entry[event.form]
    if (event.newPart || parts.length === 0) parts.push(event.text)
    else parts[parts.length - 1] = appended(parts.at(-1)!, event)
  } else if (entry.kind === 'call' && event.type === 'tool-input') entry.input = appended(entry.input, event)
}

function itemOf(entry: Entry): Item {
  switch (entry.kind) {
    case 'message': {
      const { id, parts, phase } = entry
      return { type: 'message', id, role: 'assistant', content: parts.map(partOf), ...(phase && { phase }) }
    }
    case 'reasoning':
      return {
        type: 'reasoning',
        id: entry.id,
        summary: entry.summary.map(text => ({ type: 'summary_text' as const, text })),
        ...(entry.full.length > 0 && { content: entry.full.map(text => ({ type: 'reasoning_text' as const, text })) }),
        ...(entry.state !== undefined && { encrypted_content: entry.state.seal('reasoning', entry.state.opaque) }),
      }
    case 'call': {
      const { id, callId: call_id, name, namespace, custom } = entry.opened
      const common = { id, call_id, name, ...(namespace && { namespace }) }
      return custom
        ? { type: 'custom_tool_call', ...common, input: entry.input }
        : { type: 'function_call', ...common, arguments: entry.input }
    }
    case 'output':
      return { type: 'function_call_output', id: entry.id, call_id: entry.callId, output: entry.output }
    case 'search': {
      const { id, status, action, results } = entry
      // Never sent to a provider again, but clients see it in its place among the items.
      return { type: 'web_search_call', id, status, action: { ...action }, ...(results && { results }) } as Item
    }
    case 'compaction':
      return {
        type: 'compaction',
        id: entry.id,
        encrypted_content: entry.byGateway ? entry.opaque : entry.seal('compaction', entry.opaque),
      }
    case 'foreign':
      return { ...entry.item, id: entry.id } as unknown as Item
  }
}

function partOf({ kind, text }: Message['parts'][number]): OutputTextPart | RefusalPart {
  return kind === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [], logprobs: [] }
}

/** The texts that the model generated. */
function textsOf(entry: Entry): readonly string[] {
  if (entry.kind === 'message') return entry.parts.map(({ text }) => text)
  if (entry.kind === 'reasoning') return [...entry.summary, ...entry.full]
  return entry.kind === 'call' ? [entry.opened.name, entry.input] : []
}
