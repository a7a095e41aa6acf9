import type { Emit } from '../../core/kit.ts'

const opening = '<think>'
const closing = '</think>'
/** The most white space around tags. More belongs to the model's answer, and rereading it with each piece would stall the event loop. */
const maxBlankLength = 256

interface Listener {
  reasoning(text: string, emit: Emit): void
  text(text: string, emit: Emit): void
}

/**
 * Splits a text that may start with a `<think>` block into reasoning and answer. Pieces may have any length.
 * Drops white space around the tags, which comes from the model's chat template.
 */
export class ThinkTags {
  readonly #listener: Listener
  #state: 'opening' | 'thinking' | 'after' | 'text' = 'opening'
  #held = ''
  #hasThought = false

  constructor(listener: Listener) {
    this.#listener = listener
  }

  /** Between the tags, or just after them. */
  get isThinking(): boolean {
    return this.#state === 'thinking' || this.#state === 'after'
  }

  push(piece: string, emit: Emit): void {
    if (this.#state === 'text') return this.#listener.text(piece, emit)
    this.#held += piece
    if (this.#state === 'opening') this.#open(emit)
    if (this.#state === 'thinking') this.#think(emit)
    if (this.#state === 'after') this.#answer(emit)
  }

  /** Emits what was held back. Call it when the text ends or something else follows. */
  flush(emit: Emit): void {
    const held = this.#held
    this.#held = ''
    if (held === '' || this.#state === 'after') return
    if (this.#state === 'thinking') return this.#thought(held, emit)
    this.#state = 'text'
    this.#listener.text(held, emit)
  }

  #open(emit: Emit): void {
    const text = this.#held.trimStart()
    if (text.startsWith(opening)) {
      this.#held = text.slice(opening.length)
      this.#state = 'thinking'
    } else if (!opening.startsWith(text) || this.#held.length > maxBlankLength) this.flush(emit)
  }

  #think(emit: Emit): void {
    const end = this.#held.indexOf(closing)
    const said = end >= 0 ? this.#held.slice(0, end) : withoutUnfinishedTag(this.#held)
    const trimmed = said.trimEnd()
    const certain = said.length - trimmed.length > maxBlankLength ? said : trimmed
    this.#thought(certain, emit)
    this.#held = this.#held.slice(end >= 0 ? end + closing.length : certain.length)
    if (end >= 0) this.#state = 'after'
  }

  #thought(text: string, emit: Emit): void {
    const said = this.#hasThought ? text : text.trimStart()
    if (said === '') return
    this.#hasThought = true
    this.#listener.reasoning(said, emit)
  }

  #answer(emit: Emit): void {
    const text = this.#held.trimStart()
    this.#held = ''
    if (text === '') return
    this.#state = 'text'
    this.#listener.text(text, emit)
  }
}

function withoutUnfinishedTag(text: string): string {
  const start = text.lastIndexOf('<')
  return start >= 0 && closing.startsWith(text.slice(start)) ? text.slice(0, start) : text
}
