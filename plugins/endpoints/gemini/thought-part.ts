import { appended, type ItemDelta } from '../../../core/kit.ts'
import type { OpenPart, PartContext } from './open-part.ts'
import { signatureOf, type Form } from './thought-signature.ts'

/** A thought. Its state is on the next part, where it stays if a client drops thoughts. */
export class ThoughtPart implements OpenPart {
  readonly #context: PartContext
  #text = ''
  #form: Form = 'summary'
  #state: string | undefined

  constructor(context: PartContext) {
    this.#context = context
  }

  write(event: ItemDelta): void {
    if (event.type === 'reasoning-state') this.#state = event.opaque
    if (event.type !== 'reasoning') return
    if (event.form === 'full') this.#form = 'full'
    if (event.newPart && this.#text !== '') this.#add({ text: '\n\n' })
    this.#add(event)
  }

  extra(): void {}

  close(): void {
    const hasText = this.#text !== ''
    if (hasText) this.#context.keep({ text: this.#text, thought: true })
    const signature = signatureOf(this.#form, this.#state)
    if (signature !== undefined && (hasText || this.#state !== undefined)) this.#context.sign(signature, hasText)
  }

  #add(piece: { readonly text: string }): void {
    if (piece.text === '') return
    this.#text = appended(this.#text, piece)
    if (this.#context.streaming) this.#context.sendText(piece.text, true)
  }
}
