import { isObject, parseJson, type JsonObject } from '../../../core/index.ts'
import { appended, type ItemDelta, type OpenedCall } from '../../../core/kit.ts'
import type { OpenPart, PartContext } from './open-part.ts'
import { withOwnWords } from './own-words.ts'

/** A `functionCall`, which is sent whole, as the vendor does. */
export class CallPart implements OpenPart {
  readonly #context: PartContext
  readonly #call: OpenedCall
  readonly #signature: string | undefined
  #extra: JsonObject
  #input = ''

  constructor(context: PartContext, call: OpenedCall, extra: JsonObject) {
    this.#context = context
    this.#call = call
    this.#extra = extra
    this.#signature = context.takeSignature()
  }

  write(event: ItemDelta): void {
    if (event.type === 'tool-input') this.#input = appended(this.#input, event)
  }

  extra(fields: JsonObject): void {
    this.#extra = { ...this.#extra, ...fields }
  }

  /** Arguments that were broken off are no object, so the call is left out. */
  close(): void {
    const { callId: id, name, custom } = this.#call
    const args = custom ? { input: this.#input } : this.#input.trim() === '' ? {} : parseJson(this.#input)
    if (!isObject(args)) return
    const call = { functionCall: { id, name, args }, ...(this.#signature !== undefined && { thoughtSignature: this.#signature }) }
    const part = withOwnWords(call, this.#extra)
    if (this.#context.streaming) this.#context.send(part)
    this.#context.keep(part)
  }
}
