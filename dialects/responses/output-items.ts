import type { JsonObject } from '../../core/index.ts'
import { foreignItemTypes, type Emit } from '../../core/kit.ts'
import { paired, partOf, type Channel, type OutputItem, type OutputPart } from './output-item.ts'
import { citation, logProbs, searchAction, searchResults } from './output-parts.ts'
import { number, object, objects, text } from './wire.ts'

const foreign: ReadonlySet<unknown> = new Set(foreignItemTypes)

const channels: Readonly<Record<string, readonly Channel[]>> = {
  message: ['text', 'refusal'],
  reasoning: ['summary', 'full'],
  function_call: ['input'],
  custom_tool_call: ['input'],
}

/** Tools that the vendor runs, with their names in usage counts. */
const serverTools: Readonly<Record<string, string>> = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_interpreter',
  image_generation_call: 'image_generation',
  mcp_call: 'mcp',
}

/**
 * Emits the output of one reply once, however the vendor sends it: as deltas, as finished parts or items, or only in the final response
 * object. Each finished form adds what is still missing, so a whole reply is just a stream without deltas.
 */
export class OutputItems {
  emit: Emit
  /** True if the model called one of the caller's tools. */
  called = false
  readonly toolCalls: Record<string, number> = {}
  readonly #byPosition = new Map<number, OutputItem>()
  readonly #byId = new Map<string, OutputItem>()
  /** The message or reasoning item of the last event. */
  #open: OutputItem | undefined
  readonly #items: OutputItem[] = []
  readonly #passesUnknown: boolean

  /** `passesUnknown`: the caller sent tools of this dialect, and expects their items, whatever their types are. */
  constructor(emit: Emit, passesUnknown = false) {
    this.emit = emit
    this.#passesUnknown = passesUnknown
  }

  /** `response.output_item.added` */
  added(position: number | undefined, wire: JsonObject): void {
    const known = this.#byId.get(text(wire.id) ?? '')
    const item = known && !known.done ? known : this.#create(position, text(wire.id))
    this.#learn(item, wire)
    if (isCall(item.type)) this.#call(item, wire, false)
    if (item.type === 'web_search_call') this.#search(item, wire, 'in_progress')
  }

  /** A piece of a part. */
  delta(event: JsonObject, channel: Channel, piece: unknown): void {
    const item = this.#find(number(event.output_index), text(event.item_id))
    if (typeof piece === 'string') this.#say(item, partOf(item, channel, indexIn(event)), piece, event.logprobs)
  }

  /** A complete part. */
  whole(event: JsonObject, channel: Channel, all: unknown): void {
    const item = this.#find(number(event.output_index), text(event.item_id))
    this.#complete(item, partOf(item, channel, indexIn(event)), all, event.logprobs)
  }

  /** `response.output_text.annotation.added` */
  annotation(event: JsonObject): void {
    const item = this.#find(number(event.output_index), text(event.item_id))
    this.#annotate(item, partOf(item, 'text', indexIn(event)), object(event.annotation))
  }

  /** `response.output_item.done`, and the items of a whole reply. */
  done(position: number | undefined, wire: JsonObject): void {
    const known = this.#find(position, text(wire.id))
    this.#finish(!known.done && mayBe(known, wire) ? known : this.#create(position, text(wire.id)), wire)
  }

  /** The output in the final response object. Some hosts leave out the events of some items in it. */
  rest(output: readonly JsonObject[]): void {
    output.forEach((wire, position) => {
      const item = this.#streamedAs(wire, position, output) ?? this.#create(position, text(wire.id))
      if (!item.done) this.#finish(item, wire)
    })
  }

  /** Ids and positions may differ from the stream's. Then items pair by type and order. */
  #streamedAs(wire: JsonObject, position: number, output: readonly JsonObject[]): OutputItem | undefined {
    const byId = this.#byId.get(text(wire.id) ?? '')
    const there = this.#byPosition.get(position)
    if (byId ?? (there && mayBe(there, wire))) return byId ?? there
    const nth = output.slice(0, position).filter(({ type }) => type === wire.type).length
    return this.#items.filter(item => mayBe(item, wire))[nth]
  }

  #finish(item: OutputItem, wire: JsonObject): void {
    item.done = true
    this.#learn(item, wire)
    const counted = serverTools[item.type ?? '']
    if (counted) this.toolCalls[counted] = (this.toolCalls[counted] ?? 0) + 1
    switch (item.type) {
      case 'message':
        for (const [part, told] of paired(item, objects(wire.content), part => (part.type === 'refusal' ? 'refusal' : 'text'))) {
          this.#complete(item, told, part.refusal ?? part.text, part.logprobs)
          for (const annotation of objects(part.annotations).slice(told.annotations)) this.#annotate(item, told, annotation)
        }
        return this.#close(item)
      case 'reasoning':
        for (const [part, told] of paired(item, objects(wire.summary), () => 'summary')) this.#complete(item, told, part.text)
        for (const [part, told] of paired(item, objects(wire.content), () => 'full')) this.#complete(item, told, part.text)
        return this.#close(item, text(wire.encrypted_content))
      case 'function_call':
      case 'custom_tool_call':
        this.#call(item, wire, true)
        return this.#complete(item, partOf(item, 'input', 0), item.type === 'custom_tool_call' ? wire.input : wire.arguments)
      case 'web_search_call':
        return this.#search(item, wire, wire.status === 'failed' ? 'failed' : 'completed')
      case 'compaction':
        this.#open = undefined
        if (text(wire.encrypted_content)) this.emit({ type: 'compaction', opaque: wire.encrypted_content as string })
        return
      default:
        if (!foreign.has(item.type) && !(this.#passesUnknown && isType(item.type))) return
        this.#open = undefined
        this.emit({ type: 'item', item: wire as JsonObject & { readonly type: string } })
    }
  }

  #complete(item: OutputItem, part: OutputPart, all: unknown, logprobs?: unknown): void {
    if (typeof all !== 'string') return
    if (all.length <= part.said.length || !all.startsWith(part.said)) return
    this.#say(item, part, all.slice(part.said.length), part.said === '' ? logprobs : undefined)
  }

  #say(item: OutputItem, part: OutputPart, piece: string, logprobs?: unknown): void {
    if (piece === '') return
    const first = part.said === ''
    part.said += piece
    switch (part.channel) {
      case 'input':
        if (item.called) this.emit({ type: 'tool-input', key: item.key, text: piece })
        return
      case 'text': {
        this.#turnTo(item)
        if (first) part.base = item.textLength
        item.textLength += piece.length
        const known = logProbs(logprobs)
        if (known) return this.emit({ type: 'text', text: piece, logprobs: known, ...(item.phase && { phase: item.phase }) })
        return this.emit(item.phase ? { type: 'text', text: piece, phase: item.phase } : { type: 'text', text: piece })
      }
      case 'refusal':
        this.#turnTo(item)
        return this.emit({ type: 'refusal', text: piece })
      default: {
        this.#turnTo(item)
        const newPart = first && item.parts.some(other => other !== part && other.channel === part.channel && other.said !== '')
        this.emit({ type: 'reasoning', text: piece, form: part.channel, ...(newPart && { newPart }) })
      }
    }
  }

  #annotate(item: OutputItem, part: OutputPart, wire: JsonObject | undefined): void {
    part.annotations++
    if (part.said === '') part.base = item.textLength
    const cited = wire && citation(wire)
    if (cited) this.emit({ type: 'annotation', citation: cited.citation, start: part.base + cited.start, end: part.base + cited.end })
  }

  #call(item: OutputItem, wire: JsonObject, last: boolean): void {
    const name = text(wire.name)
    const callId = text(wire.call_id)
    if (item.called || name === undefined || (callId === undefined && !last)) return
    item.called = true
    this.called = true
    this.#open = undefined
    const namespace = text(wire.namespace)
    this.emit({
      type: 'tool-call',
      key: item.key,
      ...(callId && { callId }),
      name,
      ...(namespace && { namespace }),
      ...(item.type === 'custom_tool_call' && { custom: true }),
    })
    const early = partOf(item, 'input', 0).said
    if (early) this.emit({ type: 'tool-input', key: item.key, text: early })
  }

  #search(item: OutputItem, wire: JsonObject, status: 'in_progress' | 'completed' | 'failed'): void {
    this.#open = undefined
    const results = searchResults(wire)
    this.emit({ type: 'search', key: item.key, status, action: searchAction(wire), ...(results && { results }) })
  }

  /** Keeps consecutive items of the same kind apart. */
  #turnTo(item: OutputItem): void {
    if (this.#open === item) return
    if (this.#open) this.emit({ type: 'item-end' })
    this.#open = item
  }

  #close(item: OutputItem, state?: string): void {
    if (state) {
      this.#turnTo(item)
      this.emit({ type: 'reasoning-state', opaque: state })
    } else if (this.#open === item) this.emit({ type: 'item-end' })
    if (this.#open === item) this.#open = undefined
  }

  #learn(item: OutputItem, wire: JsonObject): void {
    item.type = text(wire.type) ?? item.type
    if (wire.phase === 'commentary' || wire.phase === 'final_answer') item.phase = wire.phase
  }

  #find(position: number | undefined, id: string | undefined): OutputItem {
    const byId = id === undefined ? undefined : this.#byId.get(id)
    const found = (position === undefined ? undefined : this.#byPosition.get(position)) ?? byId
    if (found) return found
    const last = position === undefined && id === undefined ? this.#items.at(-1) : undefined
    return last ?? this.#create(position, id)
  }

  #create(position: number | undefined, id: string | undefined): OutputItem {
    const item: OutputItem = {
      key: String(this.#items.length),
      type: undefined,
      phase: undefined,
      parts: [],
      textLength: 0,
      called: false,
      done: false,
    }
    this.#byPosition.set(position ?? this.#items.length, item)
    this.#items.push(item)
    if (id !== undefined) this.#byId.set(id, item)
    return item
  }
}

function indexIn(event: JsonObject): number {
  return number(event.content_index) ?? number(event.summary_index) ?? 0
}

/** True if a finished item can be this item from the stream. */
function mayBe(item: OutputItem, wire: JsonObject): boolean {
  return item.type === undefined
    ? item.parts.every(part => channels[text(wire.type) ?? '']?.includes(part.channel))
    : item.type === wire.type
}

/** `vendor` is a word of the gateway. */
function isType(type: string | undefined): boolean {
  return type !== undefined && type !== 'vendor' && /^[a-z][\w.:-]{0,63}$/i.test(type)
}

function isCall(type: string | undefined): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}
