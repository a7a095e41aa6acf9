import type { JsonObject } from '../../../core/index.ts'
import { appended, type ItemDelta } from '../../../core/kit.ts'
import { deltaFrame, deltaHead } from './frames.ts'
import type { BlockContext, OpenBlock } from './open-block.ts'
import { signatureOf, type Form } from './signature.ts'

/** A `thinking` block or, for state without words, `redacted_thinking`. */
export class ThinkingBlock implements OpenBlock {
  readonly #context: BlockContext
  #extra: JsonObject
  #index = -1
  #head = ''
  #text = ''
  #form: Form = 'summary'
  #state: string | undefined

  constructor(context: BlockContext, extra: JsonObject) {
    this.#context = context
    this.#extra = extra
  }

  write(event: ItemDelta): void {
    if (event.type === 'reasoning-state') this.#state = event.opaque
    if (event.type !== 'reasoning' || (event.text === '' && this.#index < 0)) return
    if (this.#index < 0) this.#start()
    if (event.form === 'full') this.#form = 'full'
    if (event.newPart && this.#text !== '') this.#add({ text: '\n\n' })
    this.#add(event)
  }

  extra(fields: JsonObject): void {
    this.#extra = { ...this.#extra, ...fields }
  }

  close(): void {
    const { type, ...extra } = this.#extra
    if (this.#index < 0) {
      if (this.#state === undefined) return
      if (type !== 'thinking') {
        const block = { type: 'redacted_thinking', data: this.#state, ...extra }
        return this.#context.stop(this.#context.start(block), block)
      }
      this.#start()
    }
    const signature = signatureOf(this.#form, this.#state)
    this.#context.delta(this.#index, { type: 'signature_delta', signature })
    this.#context.stop(this.#index, { type: 'thinking', thinking: this.#text, signature, ...extra })
  }

  #start(): void {
    this.#index = this.#context.start({ type: 'thinking', thinking: '', signature: '' })
    this.#head = this.#context.streaming ? deltaHead(this.#index, 'thinking_delta', 'thinking') : ''
  }

  #add(piece: { readonly text: string }): void {
    this.#text = appended(this.#text, piece)
    if (this.#head && piece.text !== '') this.#context.write(deltaFrame(this.#head, piece.text))
  }
}
