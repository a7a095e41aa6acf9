import type { Clock, GatewayError, Ids, JsonObject, TokenUsage } from '../../../core/index.ts'
import type { Commitment, FinishedAnswer, GenerationSink, ItemEvent, OpenedItem, Outcome, StreamBody } from '../../../core/kit.ts'
import type { EventSet } from './create.ts'
import { cancelledCode, errorEvent } from './errors.ts'
import { deltaFrame, frame, longFrame, longFrameCharacters, membersOf, serverSentEvents, type Framing } from './frames.ts'
import { CallItem } from './call-item.ts'
import { MessageItem } from './message-item.ts'
import type { ItemContext, OpenItem } from './open-item.ts'
import { ReasoningItem } from './reasoning-item.ts'
import type { RequestBody } from './request-body.ts'
import { newResponse, publicError, publicModel, publicUsage, type ResponseObject } from './response-object.ts'
import { SearchItem } from './search-item.ts'
import { WholeItem } from './whole-item.ts'

/** Turns core's items into public events. Nothing else makes an index, a sequence number or a `.done`. */
export class ResponseBuilder implements GenerationSink {
  readonly response: ResponseObject
  readonly #request: RequestBody
  readonly #clock: Clock
  readonly #events: EventSet
  readonly #body: StreamBody | undefined
  readonly #framing: Framing
  readonly #output: JsonObject[] = []
  #open: OpenItem | undefined
  /** Of the finished items. */
  #characters = 0
  #sequence = 0
  #created = false

  constructor(
    request: RequestBody,
    ids: Ids,
    clock: Clock,
    events: EventSet,
    body: StreamBody | undefined,
    framing: Framing = serverSentEvents,
  ) {
    this.response = newResponse(ids.make('resp'), seconds(clock), request)
    this.#request = request
    this.#clock = clock
    this.#events = events
    this.#body = body
    this.#framing = framing
    body?.onSilence(() => this.#beat())
  }

  get id(): string {
    return this.response.id
  }

  get full(): boolean {
    return this.#body?.full ?? false
  }

  drained(): Promise<void> {
    return this.#body?.drained() ?? Promise.resolve()
  }

  begin(commitment: Commitment): void {
    const { endpoint, store } = commitment
    if (endpoint) this.response.model = publicModel(endpoint)
    this.response.store = store
    this.#create(commitment)
  }

  write(event: ItemEvent): void {
    if (event.type === 'item-open') this.#open = this.#begin(event.item)
    else if (event.type === 'item-close') this.#close(this.#open!, event.status)
    else if (event.type !== 'extra' && event.type !== 'choice') this.#open!.write(event)
  }

  close({ finish, usage, costUsd }: Pick<Outcome, 'finish' | 'usage' | 'costUsd'>): FinishedAnswer {
    const incomplete = finish === 'length' || finish === 'content-filter'
    this.response.status = incomplete ? 'incomplete' : 'completed'
    this.response.incomplete_details = incomplete ? { reason: finish === 'length' ? 'max_output_tokens' : 'content_filter' } : null
    this.response.completed_at = incomplete ? null : seconds(this.#clock)
    this.response.usage = publicUsage(usage, costUsd)
    this.response.output = this.#output
    return { id: this.response.id, body: this.response }
  }

  end(stored: boolean): void {
    this.response.store = stored
    if (!this.#body) return
    this.#send(`response.${this.response.status}`, { response: this.response }, this.#characters)
    this.#body.end()
  }

  fail(error: GatewayError, usage: TokenUsage, costUsd: number | null): void {
    const isCancelled = error.code === cancelledCode
    this.response.status = isCancelled ? 'cancelled' : 'failed'
    // It may have been finished, and could not be kept.
    this.response.completed_at = null
    this.response.incomplete_details = null
    this.response.error = isCancelled ? null : publicError(error)
    this.response.usage = publicUsage(usage, costUsd)
    this.response.output = this.#output
    this.response.store = false
    if (!this.#body) return
    if (this.#framing.hasErrorEvents) {
      this.#create()
      if (!isCancelled) this.#send('error', errorEvent(error))
    }
    if (this.#created) this.#send('response.failed', { response: this.response }, this.#characters)
    this.#body.end()
  }

  abandon(): void {
    this.#body?.abandon()
  }

  #close(item: OpenItem, status: 'completed' | 'incomplete'): void {
    this.#output.push(item.close(status))
    this.#characters += item.characters ?? 0
  }

  #begin(item: OpenedItem): OpenItem {
    const context = this.#context()
    switch (item.kind) {
      case 'message':
        return new MessageItem(context, item)
      case 'reasoning':
        return new ReasoningItem(context, item)
      case 'call':
        return new CallItem(context, item)
      case 'search':
        return new SearchItem(context, item)
      case 'compaction':
        return new WholeItem(context, { type: 'compaction', encrypted_content: item.opaque, id: item.id })
      case 'foreign':
        return new WholeItem(context, { ...item.item, id: item.id })
    }
  }

  #context(): ItemContext {
    return {
      request: this.#request,
      outputIndex: this.#output.length,
      streaming: this.#body !== undefined,
      framing: this.#framing,
      refusalEvents: this.#events === 'all',
      send: this.#body && ((type, fields, characters) => this.#send(type, fields, characters)),
      sendDelta: (head, delta, rest) => this.#body?.write(deltaFrame(this.#framing, head, delta, this.#sequence++, rest)),
    }
  }

  #create(commitment?: Commitment): void {
    if (this.#created || !this.#body) return
    this.#created = true
    const { response } = this
    const opening = commitment && this.#framing.opening?.(commitment)
    const members = membersOf({ response: { ...response, status: 'in_progress', output: [], usage: null, error: null } })
    const first = opening ? `${members},${membersOf(opening)}` : members
    this.#body.write(frame(this.#framing, 'response.created', this.#sequence++, first))
    this.#body.write(frame(this.#framing, 'response.in_progress', this.#sequence++, members))
  }

  #beat(): void {
    // There is no event to send before the answer starts, or while the finished answer is being stored.
    if (this.#created && this.response.status === 'in_progress') this.#send('response.in_progress', { response: this.response })
    else if (this.#framing.comment !== undefined) this.#body!.write(this.#framing.comment)
  }

  #send(type: string, fields: object, characters = 0): void {
    if (characters > longFrameCharacters) this.#body?.writeLong(longFrame(this.#framing, type, this.#sequence++, fields))
    else this.#body?.write(frame(this.#framing, type, this.#sequence++, membersOf(fields)))
  }
}

function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000)
}
