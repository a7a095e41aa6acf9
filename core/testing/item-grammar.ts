import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../foundation/json.ts'
import type { EventName } from './event-shapes.ts'
import { checkFinishedItem } from './item-shapes.ts'
import { PartGrammar, type PartEvent, type PartKind } from './part-grammar.ts'
import { fail } from './shape.ts'

const kindsOf: Readonly<Record<string, readonly PartKind[]>> = {
  message: ['output_text', 'refusal'],
  reasoning: ['summary_text', 'reasoning_text'],
}

/** One item between its `added` and its `done`. */
export class ItemGrammar {
  readonly added: JsonObject
  readonly index: number
  readonly #documentedOnly: boolean
  readonly #content: JsonObject[] = []
  readonly #summary: JsonObject[] = []
  #part: PartGrammar | undefined
  #arguments = ''
  #argumentsDone = false
  #done: JsonObject | undefined

  constructor(added: JsonObject, index: number, documentedOnly: boolean) {
    this.added = added
    this.index = index
    this.#documentedOnly = documentedOnly
  }

  /** The finished item. Undefined while it is open. */
  get done(): JsonObject | undefined {
    return this.#done
  }

  accept(name: EventName, event: PartEvent): void {
    if (event.output_index !== this.index) fail(`output_index is ${event.output_index}, and item ${this.index} is open`)
    if (event.item_id !== this.added.id) fail(`item_id is ${event.item_id}, and item ${this.added.id} is open`)
    if (name.startsWith('response.function_call_arguments.')) this.#takeArguments(name, event)
    else if (name.endsWith('_part.added')) this.#openPart(event)
    else if (name.endsWith('_part.done')) this.#closePart(event)
    else (this.#part ?? fail('no part is open')).accept(name, event)
  }

  close(done: JsonObject): void {
    checkFinishedItem(done, 'item')
    if (this.#part) fail('a part is still open')
    for (const member of ['type', 'id', 'call_id', 'name', 'namespace', 'role'])
      if (done[member] !== this.added[member])
        fail(`item.${member} is ${done[member]}, and was ${this.added[member]} when the item was added`)
    if (done.type === 'message') this.#agree('content', done.content, this.#content)
    if (done.type === 'reasoning') {
      this.#agree('summary', done.summary, this.#summary)
      this.#agree('content', done.content ?? [], this.#content)
    }
    if (done.type === 'function_call') {
      if (!this.#argumentsDone) fail('function_call_arguments.done is missing')
      this.#agree('arguments', done.arguments, this.#arguments)
    }
    this.#done = done
  }

  #openPart({ part, content_index, summary_index }: PartEvent): void {
    const kind = part!.type as PartKind
    const summary = kind === 'summary_text'
    if (this.#part) fail('the part before is still open')
    if (!kindsOf[this.added.type as string]?.includes(kind)) fail(`a ${this.added.type} has no ${kind} parts`)
    if (summary && this.#content.length > 0) fail('a summary part comes after a content part')
    const [index, next] = summary ? [summary_index, this.#summary.length] : [content_index, this.#content.length]
    if (index !== next) fail(`the index of the part is ${index}, and the next is ${next}`)
    this.#part = new PartGrammar(kind, next, this.#documentedOnly)
  }

  #closePart(event: PartEvent): void {
    const part = this.#part ?? fail('no part is open')
    part.close(event)
    const list = part.kind === 'summary_text' ? this.#summary : this.#content
    list.push(event.part!)
    this.#part = undefined
  }

  #takeArguments(name: EventName, event: PartEvent): void {
    if (this.added.type !== 'function_call') fail(`a ${this.added.type} has no arguments`)
    if (event.call_id !== this.added.call_id) fail(`call_id is ${event.call_id}, and was ${this.added.call_id} when the item was added`)
    if (this.#argumentsDone) fail('the arguments are done already')
    if (name.endsWith('.delta')) {
      this.#arguments += event.delta!
      return
    }
    if (event.name !== this.added.name) fail(`name is ${event.name}, and was ${this.added.name} when the item was added`)
    this.#agree('arguments', event.arguments, this.#arguments)
    this.#argumentsDone = true
  }

  #agree(what: string, given: unknown, gathered: unknown): void {
    if (!isDeepStrictEqual(given, gathered))
      fail(`${what} is ${JSON.stringify(given)}, and the events before it make ${JSON.stringify(gathered)}`)
  }
}
