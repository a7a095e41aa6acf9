import type { GenerationEvent, SearchAction } from '../contracts/events.ts'
import { longestCallId, type Item, type OutputTextPart, type RefusalPart } from '../contracts/items.ts'
import { appended } from '../growing-text.ts'
import type { Ids } from '../ids.ts'

interface OpenMessage {
  readonly type: 'message'
  readonly parts: { readonly kind: 'text' | 'refusal'; text: string }[]
  readonly phase: 'commentary' | 'final_answer' | undefined
}
interface OpenReasoning {
  readonly type: 'reasoning'
  readonly summary: string[]
  readonly full: string[]
  state: string | undefined
}
interface OpenCall {
  readonly type: 'call'
  readonly key: string
  readonly callId: string
  readonly name: string
  readonly namespace: string | undefined
  readonly custom: boolean
  input: string
}
type Search = Extract<GenerationEvent, { type: 'search' }>
type Entry = OpenMessage | OpenReasoning | OpenCall | { readonly type: 'whole'; readonly item: Item }

/** What the model really said, before output filters: what is stored, and what the next round is asked with. */
export class Transcript {
  readonly #ids: Ids
  readonly #entries: Entry[] = []
  readonly #calls = new Map<string, OpenCall>()
  readonly #callIds = new Set<string>()
  /** Begun, and not over. */
  readonly #searches = new Map<string, SearchAction>()
  #open: OpenMessage | OpenReasoning | undefined

  constructor(ids: Ids) {
    this.#ids = ids
  }

  /** Returns the event as core knows it: calls have a key and an id that no other has, searches what was searched for. */
  add(event: GenerationEvent): GenerationEvent {
    switch (event.type) {
      case 'text':
      case 'refusal':
        this.#say(event.type, event.text, event.type === 'text' ? event.phase : undefined)
        return event
      case 'reasoning':
        this.#think(event.form, event.text, event.newPart === true)
        return event
      case 'reasoning-state':
        this.#reasoning().state = event.opaque
        this.#open = undefined
        return event
      case 'item-end':
        this.#open = undefined
        return event
      case 'tool-call':
        return this.#call(event)
      case 'tool-input': {
        const call = this.#calls.get(event.key)
        if (call) call.input = appended(call.input, event.text)
        return call && call.key !== event.key ? { ...event, key: call.key } : event
      }
      case 'search':
        return this.#search(event)
      case 'compaction':
        return this.#whole({ type: 'compaction', encrypted_content: event.opaque }, event)
      case 'item':
        return this.#whole(event.item as unknown as Item, event)
      default:
        return event
    }
  }

  /** How many characters were said, to estimate what a vendor did not count. */
  get characters(): number {
    return this.#entries.reduce((sum, entry) => sum + charactersOf(entry), 0)
  }

  /** `seal` makes what clients may hold out of a provider's state; without it the provider's own bytes stay. */
  items(seal: (kind: 'reasoning' | 'compaction', opaque: string) => string = (_, opaque) => opaque): readonly Item[] {
    return this.#entries.map(entry => itemOf(entry, seal))
  }

  #say(kind: 'text' | 'refusal', text: string, phase: OpenMessage['phase']): void {
    if (this.#open?.type !== 'message') this.#begin({ type: 'message', parts: [], phase })
    const { parts } = this.#open as OpenMessage
    const last = parts.at(-1)
    if (last?.kind === kind) last.text = appended(last.text, text)
    else parts.push({ kind, text })
  }

  #think(form: 'summary' | 'full', text: string, newPart: boolean): void {
    // A summary behind full text is shown as another item.
    if (form === 'summary' && this.#open?.type === 'reasoning' && this.#open.full.length > 0) this.#open = undefined
    const parts = this.#reasoning()[form]
    if (newPart || parts.length === 0) parts.push(text)
    else parts[parts.length - 1] = appended(parts.at(-1)!, text)
  }

  #reasoning(): OpenReasoning {
    if (this.#open?.type !== 'reasoning') this.#begin({ type: 'reasoning', summary: [], full: [], state: undefined })
    return this.#open as OpenReasoning
  }

  #call(event: Extract<GenerationEvent, { type: 'tool-call' }>): GenerationEvent {
    const { callId: told = '' } = event
    // A client could not send a longer one back.
    const isUsable = told !== '' && told.length <= longestCallId && !this.#callIds.has(told)
    const callId = isUsable ? told : this.#ids.make('call')
    this.#callIds.add(callId)
    // Keys are those of one round, and the next may use them again.
    const key = this.#calls.has(event.key) ? `${event.key} ${callId}` : event.key
    const call: OpenCall = {
      type: 'call',
      key,
      callId,
      name: event.name,
      namespace: event.namespace,
      custom: event.custom === true,
      input: '',
    }
    this.#open = undefined
    this.#calls.set(event.key, call)
    this.#entries.push(call)
    return callId === told && key === event.key ? event : { ...event, key, callId }
  }

  /** One that a pause interrupted is finished by a later round, which tells only its result. */
  #search(event: Search): Search {
    this.#open = undefined
    const begun = this.#searches.get(event.key)
    const { action } = event
    const told =
      begun?.type === 'search' && action.type === 'search' && action.query === ''
        ? { ...event, action: { ...action, query: begun.query } }
        : event
    if (event.status === 'in_progress') this.#searches.set(event.key, action)
    else {
      this.#searches.delete(event.key)
      this.#entries.push({ type: 'whole', item: searchItem(told) })
    }
    return told
  }

  #whole(item: Item, event: GenerationEvent): GenerationEvent {
    this.#open = undefined
    this.#entries.push({ type: 'whole', item })
    return event
  }

  #begin(entry: OpenMessage | OpenReasoning): void {
    this.#open = entry
    this.#entries.push(entry)
  }
}

function itemOf(entry: Entry, seal: (kind: 'reasoning' | 'compaction', opaque: string) => string): Item {
  switch (entry.type) {
    case 'message':
      return { type: 'message', role: 'assistant', content: entry.parts.map(partOf), ...(entry.phase && { phase: entry.phase }) }
    case 'reasoning':
      return {
        type: 'reasoning',
        summary: entry.summary.map(text => ({ type: 'summary_text' as const, text })),
        ...(entry.full.length > 0 && { content: entry.full.map(text => ({ type: 'reasoning_text' as const, text })) }),
        ...(entry.state !== undefined && { encrypted_content: seal('reasoning', entry.state) }),
      }
    case 'call': {
      const { callId: call_id, name, namespace, custom, input } = entry
      const common = { call_id, name, ...(namespace && { namespace }) }
      return custom ? { type: 'custom_tool_call', ...common, input } : { type: 'function_call', ...common, arguments: input }
    }
    case 'whole':
      return entry.item.type === 'compaction'
        ? { ...entry.item, encrypted_content: seal('compaction', (entry.item as { encrypted_content: string }).encrypted_content) }
        : entry.item
  }
}

/** Replayed nowhere, but shown: so that it has its place among the items. */
function searchItem({ status, action, results }: Search): Item {
  return { type: 'web_search_call', status, action: { ...action }, ...(results && { results }) }
}

function partOf({ kind, text }: OpenMessage['parts'][number]): OutputTextPart | RefusalPart {
  return kind === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [], logprobs: [] }
}

function charactersOf(entry: Entry): number {
  if (entry.type === 'message') return entry.parts.reduce((sum, { text }) => sum + text.length, 0)
  if (entry.type === 'reasoning') return [...entry.summary, ...entry.full].reduce((sum, text) => sum + text.length, 0)
  return entry.type === 'call' ? entry.name.length + entry.input.length : 0
}
