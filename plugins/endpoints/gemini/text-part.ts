import type { JsonObject } from '../../../core/index.ts'
import { appended, type ItemDelta } from '../../../core/kit.ts'
import type { OpenPart, PartContext } from './open-part.ts'
import { withOwnWords } from './own-words.ts'

type Annotation = Extract<ItemDelta, { type: 'annotation' }>

/** A message of the model. A stream sends each piece as a part. */
export class TextPart implements OpenPart {
  readonly #context: PartContext
  readonly #place: number
  readonly #signature: string | undefined
  #extra: JsonObject
  #text = ''
  #annotations: Annotation[] | undefined

  constructor(context: PartContext, extra: JsonObject) {
    this.#context = context
    this.#place = context.parts
    this.#extra = extra
    this.#signature = context.takeSignature()
  }

  write(event: ItemDelta): void {
    if (event.type === 'annotation') (this.#annotations ??= []).push(event)
    if (event.type !== 'text' && event.type !== 'refusal') return
    if (event.type === 'text' && event.logprobs) this.#context.logprobs(event.logprobs)
    const isFirst = this.#text === ''
    this.#text = appended(this.#text, event)
    if (!this.#context.streaming || event.text === '') return
    if (isFirst && (this.#signature !== undefined || hasMembers(this.#extra))) this.#context.send(this.#part(event.text))
    else this.#context.sendText(event.text, false)
  }

  extra(fields: JsonObject): void {
    this.#extra = { ...this.#extra, ...fields }
  }

  close(): void {
    const { streaming, citations } = this.#context
    if (this.#annotations) citations.cite(this.#annotations, this.#text, streaming ? undefined : this.#place)
    if (this.#text !== '' || this.#signature !== undefined) this.#context.keep(this.#part(this.#text))
  }

  #part(text: string): JsonObject {
    return withOwnWords({ text, ...(this.#signature !== undefined && { thoughtSignature: this.#signature }) }, this.#extra)
  }
}

function hasMembers(extra: JsonObject): boolean {
  for (const _ in extra) return true
  return false
}
