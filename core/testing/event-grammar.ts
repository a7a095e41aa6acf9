import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../foundation/json.ts'
import { readEvents } from './event-reader.ts'
import { checkEventMembers, isEventName, undocumentedEvents, type EventName } from './event-shapes.ts'
import { ItemGrammar } from './item-grammar.ts'
import { checkNewItem, checkUnfinishedItem } from './item-shapes.ts'
import type { PartEvent } from './part-grammar.ts'
import {
  checkItemStatus,
  checkResponse,
  checkResponseMembers,
  isCall,
  type CheckedResponse,
  type ResponseStatus,
} from './response-shape.ts'
import { ContractError, fail } from './shape.ts'

export { readEvents, type PublicEvent } from './event-reader.ts'
export { checkResponse, type CheckedResponse } from './response-shape.ts'
export { ContractError } from './shape.ts'

/** For `checkStream` and `checkEvents`. */
export interface GrammarOptions {
  /** `documented`: without the events for refusals and annotations. */
  readonly events?: 'all' | 'documented'
}

/** A valid stream: its terminal object and its finished items, in order. */
export interface CheckedStream {
  /** That of the last event. */
  readonly response: CheckedResponse
  /** As their `response.output_item.done` has them. */
  readonly items: readonly JsonObject[]
}

/** Reads a whole streamed body and checks it. Throws a `ContractError` that names the event. */
export function checkStream(text: string, options?: GrammarOptions): CheckedStream {
  return checkEvents(readEvents(text), options)
}

/**
 * Checks that the events of a whole stream have the members and the order that the protocol promises, and agree with one another.
 * Throws a `ContractError` that names the event.
 */
export function checkEvents(events: readonly JsonObject[], options: GrammarOptions = {}): CheckedStream {
  const grammar = new StreamGrammar(options.events === 'documented')
  for (const [index, event] of events.entries()) {
    try {
      grammar.accept(event, index)
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      throw new ContractError(`event ${index} (${event.type}): ${error.message}`)
    }
  }
  return grammar.end()
}

class StreamGrammar {
  readonly #documentedOnly: boolean
  readonly #items: ItemGrammar[] = []
  readonly #ids = new Set<unknown>()
  readonly #calls = new Set<unknown>()
  #created: CheckedResponse | undefined
  #error: JsonObject | undefined
  #terminal: CheckedResponse | undefined

  constructor(documentedOnly: boolean) {
    this.#documentedOnly = documentedOnly
  }

  accept(event: JsonObject, index: number): void {
    const name = event.type
    if (!isEventName(name) || (this.#documentedOnly && undocumentedEvents.has(name))) fail('there is no such event')
    checkEventMembers(name, event)
    if (event.sequence_number !== index) fail(`sequence_number is ${event.sequence_number} instead of ${index}`)
    if (this.#terminal) fail('nothing may follow the terminal event')
    if (!this.#created && name !== 'response.created') fail('the first event must be response.created')
    if (this.#error && name !== 'response.failed') fail('only response.failed may follow error')
    this.#dispatch(name, event)
  }

  end(): CheckedStream {
    const response = this.#terminal ?? fail('the stream ends without a terminal event')
    return { response, items: this.#done() }
  }

  #dispatch(name: EventName, event: JsonObject): void {
    switch (name) {
      case 'response.created':
        return this.#create(event.response)
      case 'response.in_progress':
        return this.#beat(event.response)
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(event.response, name === 'response.completed' ? 'completed' : 'incomplete')
      case 'error':
        return this.#announce(event)
      case 'response.failed':
        return this.#fail(event.response)
      case 'response.output_item.added':
        return this.#add(event.item as JsonObject, event.output_index as number)
      case 'response.output_item.done':
        return this.#close(event.item as JsonObject, event.output_index as number)
      default:
        return this.#open().accept(name, event as unknown as PartEvent)
    }
  }

  #create(value: unknown): void {
    if (this.#created) fail('the response was created already')
    this.#created = this.#checkObject(value, 'in_progress')
    if (this.#created.output.length > 0) fail('response.output is not empty')
  }

  #beat(value: unknown): void {
    const { output } = this.#checkObject(value, 'in_progress')
    for (const [index, item] of output.entries()) {
      const added = this.#items[index]?.added ?? fail(`response.output.${index} was never added`)
      if (item.id !== added.id || item.type !== added.type) fail(`response.output.${index} is another item than the one added`)
    }
  }

  #add(item: JsonObject, index: number): void {
    checkNewItem(item, 'item')
    const before = this.#items.at(-1)
    if (before && !before.done) fail(`item ${before.index} is still open`)
    if (index !== this.#items.length) fail(`output_index is ${index}, and the next is ${this.#items.length}`)
    if (this.#ids.has(item.id)) fail(`item.id ${item.id} is that of an earlier item`)
    if (isCall(item) && this.#calls.has(item.call_id)) fail(`item.call_id ${item.call_id} is that of an earlier call`)
    this.#ids.add(item.id)
    if (isCall(item)) this.#calls.add(item.call_id)
    this.#items.push(new ItemGrammar(item, index, this.#documentedOnly))
  }

  #close(item: JsonObject, index: number): void {
    const open = this.#open()
    if (index !== open.index) fail(`output_index is ${index}, and item ${open.index} is open`)
    open.close(item)
  }

  #finish(value: unknown, status: ResponseStatus): void {
    const response = this.#checkObject(value, status)
    if (this.#items.some(item => !item.done)) fail('an item is still open')
    checkResponse(response)
    const done = this.#done()
    if (!isDeepStrictEqual(response.output, done))
      fail(`response.output is ${JSON.stringify(response.output)}, and the items done are ${JSON.stringify(done)}`)
    this.#terminal = response
  }

  #announce(event: JsonObject): void {
    const nested = event.error as JsonObject
    for (const member of ['code', 'message', 'param'])
      if (nested[member] !== event[member]) fail(`error.${member} is ${nested[member]}, and ${member} is ${event[member]}`)
    this.#error = event
  }

  #fail(value: unknown): void {
    const error = this.#error ?? fail('response.failed comes without an error event before it')
    const response = this.#checkObject(value, 'failed')
    if (eventCode(response.error!.code) !== error.code)
      fail(`response.error.code is ${response.error!.code}, and the error event said ${error.code}`)
    for (const item of this.#done()) checkItemStatus(item, false, 'failed')
    let next = 0
    for (const [index, item] of response.output.entries()) {
      next = this.#items.findIndex((known, position) => position >= next && known.added.id === item.id) + 1
      const known = this.#items[next - 1] ?? fail(`response.output.${index} was never added, or stands out of order`)
      if (known.done ? !isDeepStrictEqual(item, known.done) : item.type !== known.added.type)
        fail(`response.output.${index} differs from the item of the events`)
      if (!known.done) checkUnfinishedItem(item, `response.output.${index}`)
    }
    this.#terminal = response
  }

  #checkObject(value: unknown, status: ResponseStatus): CheckedResponse {
    const response = checkResponseMembers(value)
    if (response.status !== status) fail(`response.status is ${response.status} instead of ${status}`)
    for (const member of ['id', 'created_at', 'model'] as const)
      if (this.#created && response[member] !== this.#created[member])
        fail(`response.${member} is ${response[member]}, and was ${this.#created[member]} in response.created`)
    return response
  }

  #open(): ItemGrammar {
    const last = this.#items.at(-1)
    if (!last || last.done) fail('no item is open')
    return last
  }

  #done(): readonly JsonObject[] {
    return this.#items.flatMap(({ done }) => (done ? [done] : []))
  }
}

/** Only the rate limit has different codes in the event and in the response. */
function eventCode(code: unknown): unknown {
  return code === 'rate_limit_exceeded' ? 'rate_limit_error' : code
}
