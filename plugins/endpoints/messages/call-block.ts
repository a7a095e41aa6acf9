import { isObject, parseJson, type JsonObject } from '../../../core/index.ts'
import { appended, type ItemDelta, type OpenedCall } from '../../../core/kit.ts'
import { deltaFrame, deltaHead } from './frames.ts'
import type { BlockContext, OpenBlock } from './open-block.ts'

/** A `tool_use` block. It starts with its first input, because members of the vendor follow the call. */
export class CallBlock implements OpenBlock {
  readonly #context: BlockContext
  readonly #isCustom: boolean
  #block: JsonObject
  #index = -1
  #head = ''
  #input = ''

  constructor(context: BlockContext, { callId: id, name, custom }: OpenedCall, extra: JsonObject) {
    this.#context = context
    this.#isCustom = custom
    this.#block = { type: 'tool_use', id, name, input: {}, ...extra }
  }

  write(event: ItemDelta): void {
    if (event.type !== 'tool-input') return
    if (this.#index < 0) this.#start()
    this.#input = appended(this.#input, event)
    if (this.#head && !this.#isCustom && event.text !== '') this.#context.write(deltaFrame(this.#head, event.text))
  }

  extra(fields: JsonObject): void {
    this.#block = { ...this.#block, ...fields }
  }

  /** Input that was broken off is no object, so the finished message leaves out the call. */
  close(): void {
    if (this.#index < 0) this.#start()
    if (this.#isCustom && this.#head) this.#context.write(deltaFrame(this.#head, JSON.stringify({ input: this.#input })))
    const input = this.#isCustom ? { input: this.#input } : this.#input.trim() === '' ? {} : parseJson(this.#input)
    this.#context.stop(this.#index, isObject(input) ? { ...this.#block, input } : undefined)
  }

  #start(): void {
    this.#index = this.#context.start(this.#block)
    this.#head = this.#context.streaming ? deltaHead(this.#index, 'input_json_delta', 'partial_json') : ''
  }
}
