import type { FinishReason, SearchAction } from '../contracts/events.ts'
import type { OpenedItem } from '../contracts/item-events.ts'
import { maxCallIdLength } from '../contracts/items.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { SearchEvent } from '../contracts/tool.ts'
import type { Ids } from '../foundation/ids.ts'
import { ProviderMistake } from '../provider-kit/provider-mistake.ts'
import { idOfNew } from './item-ids.ts'
import { OpenCall } from './open-call.ts'
import type { CallCheck, RaisedEvent, StagedEvent } from './raised-event.ts'
import { wording } from '../foundation/wording.ts'

/** An event with its call resolved. Calls are compared by identity, because providers may reuse a key in the next round. */
type Placed =
  | Exclude<RaisedEvent, { type: 'tool-call' | 'tool-input' | 'suppressed-call' | 'extra' | 'choice' }>
  | { readonly type: 'call'; readonly call: OpenCall }
  | { readonly type: 'input'; readonly call: OpenCall; readonly text: string }

type Open =
  | { readonly kind: 'message' }
  | { readonly kind: 'reasoning'; isFull: boolean; isOver: boolean }
  | { readonly kind: 'call'; readonly call: OpenCall }
  /** Of the gateway. */
  | { readonly kind: 'search'; readonly key: string; readonly action: SearchAction }

/**
 * Decides which item is open and when it closes: turns a provider's events into items that open, grow and close in sequence.
 * Vendors may interleave parallel calls. While a call is incomplete, events of other items wait.
 */
export class ItemStage {
  readonly #ids: Ids
  readonly #emit: (event: StagedEvent) => void
  /** By the provider's key, in the current round. `null` means a suppressed call. */
  #calls: Map<string, OpenCall | null> | undefined
  #callIds: Set<string> | undefined
  /** Searches that began and have not finished, by key. */
  #searches: Map<string, SearchAction> | undefined
  #open: Open | undefined
  #waiting: Placed[] = []

  constructor(ids: Ids, emit: (event: StagedEvent) => void) {
    this.#ids = ids
    this.#emit = emit
  }

  write(event: RaisedEvent): void {
    switch (event.type) {
      case 'tool-call': {
        const call = new OpenCall(event, this.#callId(event.callId))
        ;(this.#calls ??= new Map()).set(event.key, call)
        return this.#place({ type: 'call', call })
      }
      case 'suppressed-call':
        ;(this.#calls ??= new Map()).set(event.key, null)
        // Text before and after the call must not be joined.
        return this.#open?.kind === 'call' ? undefined : this.#place({ type: 'item-end' })
      case 'tool-input': {
        const call = this.#calls?.get(event.key)
        if (call) return this.#place({ type: 'input', call, text: event.text })
        return call === null ? undefined : refuseInput(event.text)
      }
      case 'extra':
        return this.#emit(event)
      case 'choice':
        return this.#endChoice(event)
      default:
        return this.#place(event)
    }
  }

  /** The gateway begins to search. */
  beginSearch({ key, action }: SearchEvent): void {
    while (this.#open) this.#close('completed')
    this.#open = { kind: 'search', key, action }
    this.#tell({ kind: 'search', id: this.#id('web_search_call'), status: 'in_progress', byGateway: true, action })
  }

  /** The gateway has searched, with or without having shown the start. */
  endSearch(event: SearchEvent): void {
    if (this.#open?.kind !== 'search' || this.#open.key !== event.key) this.beginSearch(event)
    this.#open = undefined
    const { status, action, results } = event
    this.#emit({ type: 'search-end', status: status === 'completed' ? status : 'failed', action, ...(results && { results }) })
    this.#emit({ type: 'item-close', status: 'completed' })
  }

  /** The gateway has compacted the conversation. Called before the first event. */
  showCompaction(sealed: string): void {
    this.#whole({ kind: 'compaction', id: this.#id('compaction'), opaque: sealed, byGateway: true })
  }

  /** The provider paused: emits the waiting events before the next round. */
  pause(): void {
    while (this.#waiting.length > 0) this.#close('completed')
  }

  /** The model waits for the results of its calls, so nothing from this round continues in the next. */
  endRound(): void {
    this.end('tool-calls')
    this.#searches = undefined
    this.#calls = undefined
  }

  /** Nothing of a choice continues in the next one, which may use the same keys and call ids. */
  #endChoice(event: Extract<RaisedEvent, { type: 'choice' }>): void {
    this.end(event.reason)
    this.#searches = undefined
    this.#calls = undefined
    this.#callIds = undefined
    this.#emit(event)
  }

  /** The answer ended: unfinished searches fail, and the open item closes. */
  end(finish: FinishReason): void {
    const isCut = finish === 'length' || finish === 'content-filter'
    if (this.#searches) for (const [key, action] of this.#searches) this.#place({ type: 'search', key, status: 'failed', action })
    while (this.#open) this.#close(isCut && this.#waiting.length === 0 ? 'incomplete' : 'completed')
  }

  #place(event: Placed): void {
    if (event.type === 'item-end' && this.#spokenWaits()) this.#waiting.push(event)
    else if (this.#grows(event)) {
      if (this.#waiting.length > 0 && this.#isComplete()) this.#close('completed')
    } else if (event.type === 'annotation' && this.#waiting.length === 0) {
      // The message is already closed, so the annotation is dropped.
    } else if (!this.#isComplete()) this.#waiting.push(event)
    else if (this.#open) {
      this.#close('completed')
      this.#place(event)
    } else this.#begin(event)
  }

  /** Adds the event to the open item. Returns false if it belongs to another one. */
  #grows(event: Placed): boolean {
    const open = this.#open
    switch (open?.kind) {
      case 'message':
        if (event.type !== 'text' && event.type !== 'refusal' && event.type !== 'annotation') return false
        this.#emit(event)
        return true
      case 'reasoning':
        // State ends the item. A summary after full text would be out of order, so it opens a new item.
        if (open.isOver || (event.type !== 'reasoning' && event.type !== 'reasoning-state')) return false
        if (event.type === 'reasoning') {
          if (event.form === 'summary' && open.isFull) return false
          open.isFull ||= event.form === 'full'
        } else open.isOver = true
        this.#emit(event)
        return true
      case 'call':
        if (event.type === 'item-end') {
          open.call.end()
          return true
        }
        if (event.type !== 'input' || event.call !== open.call) return false
        this.#input(open.call, event.text)
        return true
      default:
        return false
    }
  }

  #begin(event: Placed): void {
    switch (event.type) {
      case 'text':
      case 'refusal': {
        const phase = event.type === 'text' ? event.phase : undefined
        this.#open = { kind: 'message' }
        this.#tell({ kind: 'message', id: this.#id('message'), ...(phase && { phase }) })
        return this.#emit(event)
      }
      case 'reasoning':
      case 'reasoning-state':
        this.#open = { kind: 'reasoning', isFull: false, isOver: false }
        this.#tell({ kind: 'reasoning', id: this.#id('reasoning') })
        return void this.#grows(event)
      case 'call': {
        const { call } = event
        this.#open = { kind: 'call', call }
        return this.#tell(call.opened(this.#id(call.itemType)), call.check)
      }
      case 'input':
        return refuseInput(event.text)
      case 'search':
        return this.#search(event)
      case 'compaction':
        return this.#whole({ kind: 'compaction', id: this.#id('compaction'), opaque: event.opaque })
      case 'item':
        return this.#whole({ kind: 'foreign', id: this.#id(event.item.type), item: event.item })
    }
  }

  /** A later round finishes a search that a pause interrupted, and reports only its result. */
  #search({ key, status, action, results }: SearchEvent): void {
    if (status === 'in_progress') return void (this.#searches ??= new Map()).set(key, action)
    const begun = this.#searches?.get(key)
    this.#searches?.delete(key)
    const lacksQuery = begun?.type === 'search' && action.type === 'search' && action.query === ''
    this.#whole({
      kind: 'search',
      id: this.#id('web_search_call'),
      status,
      action: lacksQuery ? { ...action, query: begun.query } : action,
      ...(results && { results }),
    })
  }

  #whole(item: OpenedItem): void {
    this.#tell(item)
    this.#emit({ type: 'item-close', status: 'completed' })
  }

  #input(call: OpenCall, text: string): void {
    const piece = call.add(text)
    if (piece !== '') this.#emit({ type: 'tool-input', key: call.callId, text: piece })
  }

  /** Closes the open item, then places the events that waited for it. */
  #close(status: 'completed' | 'incomplete'): void {
    if (this.#open?.kind === 'search') return this.endSearch({ type: 'search', status: 'failed', ...this.#open })
    if (this.#open?.kind === 'call') {
      const { call } = this.#open
      const rest = call.close()
      if (rest !== '') this.#emit({ type: 'tool-input', key: call.callId, text: rest })
    }
    this.#open = undefined
    this.#emit({ type: 'item-close', status })
    const waiting = this.#waiting
    this.#waiting = []
    for (const event of waiting) this.#place(event)
  }

  #isComplete(): boolean {
    return this.#open?.kind !== 'call' || this.#open.call.isComplete
  }

  /** True if text or reasoning is waiting: an `item-end` then belongs to that, not to the open call. */
  #spokenWaits(): boolean {
    if (this.#waiting.length === 0) return false
    const last = this.#waiting.findLast(({ type }) => type !== 'input' && type !== 'annotation')?.type
    return last === 'text' || last === 'refusal' || last === 'reasoning'
  }

  #tell(item: OpenedItem, check?: CallCheck): void {
    this.#emit(check ? { type: 'item-open', item, check } : { type: 'item-open', item })
  }

  #id(type: string): string {
    return idOfNew(type, this.#ids)
  }

  /** The vendor's id, unless it is empty, too long to send back, or already taken. */
  #callId(given = ''): string {
    const isUsable = given !== '' && given.length <= maxCallIdLength && !this.#callIds?.has(given)
    const callId = isUsable ? given : this.#ids.make('call')
    ;(this.#callIds ??= new Set()).add(callId)
    return callId
  }
}

/** White space is allowed: some vendors end arguments with it after the next item has begun. */
function refuseInput(text: string): void {
  if (text.trim() !== '')
    throw new ProviderFailure({
      kind: 'protocol',
      message: wording`The provider sent input for a tool call that is not open.`,
      cause: new ProviderMistake('yielded an event "tool-input" with a bad `key`: expected that of an earlier tool-call, got another'),
    })
}
