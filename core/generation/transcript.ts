import type { ItemDelta, ItemEvent, OpenedCall, OpenedItem } from '../contracts/item-events.ts'
import type { Item, OutputTextPart, RefusalPart } from '../contracts/items.ts'
import { appended } from '../foundation/growing-text.ts'
import type { Seal } from '../routing/state.ts'

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
  state: string | undefined
}
interface Call {
  readonly kind: 'call'
  readonly opened: OpenedCall
  input: string
}
type Whole = Exclude<OpenedItem, { kind: 'message' | 'reasoning' | 'call' }>
type Entry = Message | Reasoning | Call | Whole

/** The output of one generation, as items. */
export class Transcript {
  readonly #entries: Entry[] = []

  add(event: ItemEvent): void {
    if (event.type === 'item-open') this.#entries.push(entryOf(event.item))
    else if (event.type !== 'item-close') grow(this.#entries.at(-1)!, event)
  }

  /** The number of generated characters, for estimating usage that the vendor did not report. */
  get characters(): number {
    return this.#entries.reduce((sum, entry) => sum + charactersOf(entry), 0)
  }

  /** `seal` encrypts the provider's state for clients. Without it the state is returned as it is. */
  items(seal: Seal = (_, opaque) => opaque): readonly Item[] {
    return this.#entries.map(entry => itemOf(entry, seal))
  }
}

function entryOf(item: OpenedItem): Entry {
  switch (item.kind) {
    case 'message':
      return { kind: 'message', id: item.id, phase: item.phase, parts: [] }
    case 'reasoning':
      return { kind: 'reasoning', id: item.id, summary: [], full: [], state: undefined }
    case 'call':
      return { kind: 'call', opened: item, input: '' }
    default:
      return item
  }
}

function grow(entry: Entry, event: ItemDelta): void {
  if (entry.kind === 'message') {
    if (event.type !== 'text' && event.type !== 'refusal') return
    const last = entry.parts.at(-1)
    if (last?.kind === event.type) last.text = appended(last.text, event)
    else entry.parts.push({ kind: event.type, text: event.text })
  } else if (entry.kind === 'reasoning') {
    if (event.type === 'reasoning-state') entry.state = event.opaque
    if (event.type !== 'reasoning') return
    const parts = entry[event.form]
    if (event.newPart || parts.length === 0) parts.push(event.text)
    else parts[parts.length - 1] = appended(parts.at(-1)!, event)
  } else if (entry.kind === 'call' && event.type === 'tool-input') entry.input = appended(entry.input, event)
}

function itemOf(entry: Entry, seal: Seal): Item {
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
        ...(entry.state !== undefined && { encrypted_content: seal('reasoning', entry.state) }),
      }
    case 'call': {
      const { id, callId: call_id, name, namespace, custom } = entry.opened
      const common = { id, call_id, name, ...(namespace && { namespace }) }
      return custom
        ? { type: 'custom_tool_call', ...common, input: entry.input }
        : { type: 'function_call', ...common, arguments: entry.input }
    }
    case 'search': {
      const { id, status, action, results } = entry
      // Never sent to a provider again, but clients see it in its place among the items.
      return { type: 'web_search_call', id, status, action: { ...action }, ...(results && { results }) } as Item
    }
    case 'compaction':
      return { type: 'compaction', id: entry.id, encrypted_content: seal('compaction', entry.opaque) }
    case 'foreign':
      return { ...entry.item, id: entry.id } as unknown as Item
  }
}

function partOf({ kind, text }: Message['parts'][number]): OutputTextPart | RefusalPart {
  return kind === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [], logprobs: [] }
}

function charactersOf(entry: Entry): number {
  if (entry.kind === 'message') return entry.parts.reduce((sum, { text }) => sum + text.length, 0)
  if (entry.kind === 'reasoning') return [...entry.summary, ...entry.full].reduce((sum, text) => sum + text.length, 0)
  return entry.kind === 'call' ? entry.opened.name.length + entry.input.length : 0
}
