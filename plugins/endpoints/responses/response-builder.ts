import {
  ProviderFailure,
  type Clock,
  type Commitment,
  type GatewayError,
  type GenerationEvent,
  type GenerationRequest,
  type GenerationSink,
  type Ids,
  type JsonObject,
  type Outcome,
  type SearchAction,
  type StreamBody,
  type TokenUsage,
} from '../../../core/index.ts'
import type { EventSet } from './create.ts'
import { errorEvent } from './errors.ts'
import { deltaFrame, frame } from './frames.ts'
import { CallItem } from './call-item.ts'
import { MessageItem } from './message-item.ts'
import { ReasoningItem } from './reasoning-item.ts'
import { newResponse, publicError, publicModel, publicUsage, type ResponseObject } from './response-object.ts'
import { WholeItem } from './whole-item.ts'

/** An output item while it is open. Writes its own events through the builder, which owns ids, indexes and sequence numbers. */
export interface OpenItem {
  /** False for what belongs to another item. */
  accepts(event: GenerationEvent): boolean
  write(event: GenerationEvent): void
  /** Whether nothing more can come for it. */
  readonly complete: boolean
  /** Writes its `.done` events and gives the finished item. */
  close(status: 'completed' | 'incomplete'): JsonObject
}

/** What an open item needs of its builder. */
export interface ItemContext {
  readonly request: GenerationRequest
  readonly outputIndex: number
  readonly streaming: boolean
  readonly refusalEvents: boolean
  id(prefix: string): string
  send(type: string, fields: object): void
  /** A delta of the part whose frames begin with `head`; `rest` is what follows the text. */
  sendDelta(head: string, delta: string, rest: string): void
}

/** Turns events into items and public events. Nothing else makes an id, an index, a sequence number or a `.done`. */
export class ResponseBuilder implements GenerationSink {
  readonly response: ResponseObject
  readonly #request: GenerationRequest
  readonly #ids: Ids
  readonly #clock: Clock
  readonly #events: EventSet
  readonly #body: StreamBody | undefined
  readonly #output: JsonObject[] = []
  #open: OpenItem | undefined
  /** Came while a call was still incomplete: written when it is closed, so that items never interleave. */
  #waiting: GenerationEvent[] = []
  readonly #searches = new Map<string, SearchAction>()
  #sequence = 0
  #created = false

  constructor(request: GenerationRequest, ids: Ids, clock: Clock, events: EventSet, body: StreamBody | undefined) {
    this.response = newResponse(ids.make('resp'), seconds(clock), request)
    this.#request = request
    this.#ids = ids
    this.#clock = clock
    this.#events = events
    this.#body = body
    body?.onSilence(() => this.#beat())
  }

  get full(): boolean {
    return this.#body?.full ?? false
  }

  drained(): Promise<void> {
    return this.#body?.drained() ?? Promise.resolve()
  }

  begin({ endpoint, store }: Commitment): void {
    if (endpoint) this.response.model = publicModel(endpoint)
    this.response.store = store
    this.#create()
  }

  write(event: GenerationEvent): void {
    const open = this.#open
    if (event.type === 'item-end' && this.#spokenWaits()) {
      this.#waiting.push(event)
    } else if (open?.accepts(event)) {
      open.write(event)
      if (this.#waiting.length > 0 && open.complete) this.#closeOpen('completed')
    } else if (event.type === 'annotation' && this.#waiting.length === 0) {
      // Its message is over: nothing ends for it.
      return
    } else if (open && !open.complete) {
      this.#waiting.push(event)
    } else {
      if (open) this.#closeOpen('completed')
      this.#begin(event)
    }
  }

  close({ finish, usage }: Outcome): JsonObject {
    const incomplete = finish === 'length' || finish === 'content-filter'
    this.#endSearches()
    while (this.#open) this.#closeOpen(incomplete && this.#waiting.length === 0 ? 'incomplete' : 'completed')
    this.response.status = incomplete ? 'incomplete' : 'completed'
    this.response.incomplete_details = incomplete ? { reason: finish === 'length' ? 'max_output_tokens' : 'content_filter' } : null
    this.response.completed_at = incomplete ? null : seconds(this.#clock)
    this.response.usage = publicUsage(usage)
    this.response.output = this.#output
    return this.response
  }

  end(stored: boolean): void {
    this.response.store = stored
    this.#send(`response.${this.response.status}`, { response: this.response })
    this.#body?.end()
  }

  fail(error: GatewayError, usage: TokenUsage): void {
    this.response.status = 'failed'
    this.response.error = publicError(error)
    this.response.usage = publicUsage(usage)
    this.response.output = this.#output
    this.response.store = false
    if (!this.#body) return
    this.#create()
    this.#send('error', errorEvent(error))
    this.#send('response.failed', { response: this.response })
    this.#body.end()
  }

  #begin(event: GenerationEvent): void {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return this.#openItem(new MessageItem(this.#context(), event))
      case 'reasoning':
      case 'reasoning-state':
        return this.#openItem(new ReasoningItem(this.#context(), event))
      case 'tool-call':
        return this.#openItem(new CallItem(this.#context(), event))
      case 'tool-input':
        // Some vendors end arguments with white space, after what has followed them.
        if (event.text.trim() !== '')
          throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent input for a tool call that is not open.' })
        return
      case 'search':
        return this.#search(event)
      case 'compaction':
        return this.#openItem(new WholeItem(this.#context(), 'cmp', { type: 'compaction', encrypted_content: event.opaque }))
      case 'item':
        return this.#openItem(new WholeItem(this.#context(), 'item', event.item))
    }
  }

  /** Whether a message or a thought opened behind the call that is open: then that is what an end is meant for. */
  #spokenWaits(): boolean {
    const last = this.#waiting.findLast(({ type }) => type !== 'tool-input' && type !== 'annotation')?.type
    return last === 'text' || last === 'refusal' || last === 'reasoning'
  }

  /** A search of which nothing more came has failed. It stands before an item that the end left incomplete. */
  #endSearches(): void {
    for (const [key, action] of this.#searches) this.write({ type: 'search', key, status: 'failed', action })
  }

  /** A search is shown when it is over. */
  #search({ key, status, action, results }: Extract<GenerationEvent, { type: 'search' }>): void {
    if (status === 'in_progress') return void this.#searches.set(key, action)
    this.#searches.delete(key)
    const shown = results && this.#request.include?.includes('web_search_call.results') ? { results } : {}
    this.#openItem(new WholeItem(this.#context(), 'ws', { type: 'web_search_call', status, action: shownAction(action), ...shown }))
  }

  #openItem(item: OpenItem): void {
    this.#open = item
  }

  /** Closes the open item, then writes what had to wait for it. */
  #closeOpen(status: 'completed' | 'incomplete'): void {
    this.#output.push(this.#open!.close(status))
    this.#open = undefined
    const waiting = this.#waiting
    this.#waiting = []
    for (const event of waiting) this.write(event)
  }

  #context(): ItemContext {
    return {
      request: this.#request,
      outputIndex: this.#output.length,
      streaming: this.#body !== undefined,
      refusalEvents: this.#events === 'all',
      id: prefix => this.#ids.make(prefix),
      send: (type, fields) => this.#send(type, fields),
      sendDelta: (head, delta, rest) => this.#body?.write(deltaFrame(head, delta, this.#sequence++, rest)),
    }
  }

  #create(): void {
    if (this.#created || !this.#body) return
    this.#created = true
    const { response } = this
    const fresh = { ...response, status: 'in_progress', output: [], usage: null, error: null }
    this.#send('response.created', { response: fresh })
    this.#send('response.in_progress', { response: fresh })
  }

  #beat(): void {
    // Before there is an answer, and while the finished one is being stored.
    if (!this.#created || this.response.status !== 'in_progress') this.#body!.write(': keep-alive\n\n')
    else this.#send('response.in_progress', { response: this.response })
  }

  #send(type: string, fields: object): void {
    this.#body?.write(frame(type, this.#sequence++, fields))
  }
}

function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000)
}

/** The documented action of a search always has its sources. */
function shownAction(action: SearchAction): SearchAction {
  return action.type === 'search' ? { ...action, sources: action.sources ?? [] } : action
}
