import type { Emit } from '../../../core/index.ts'

const opening = '<think>'
const closing = '</think>'

interface Listener {
  reasoning(text: string, emit: Emit): void
  text(text: string, emit: Emit): void
}

/** Parts a text that may open with a `<think>` block into reasoning and answer, and changes nothing else. Pieces may be of any length. */
export class ThinkTags {
  readonly #listener: Listener
  #state: 'opening' | 'thinking' | 'text' = 'opening'
  #held = ''

  constructor(listener: Listener) {
    this.#listener = listener
  }

  push(piece: string, emit: Emit): void {
    if (this.#state === 'text') return this.#listener.text(piece, emit)
    this.#held += piece
    if (this.#state === 'opening') this.#open(emit)
    if (this.#state === 'thinking') this.#think(emit)
  }

  /** The text is over, or something else comes in between: what was held back. */
  flush(emit: Emit): void {
    if (this.#state === 'opening' && this.#held !== '') this.#state = 'text'
    this.#say(this.#held.length, emit)
  }

  #open(emit: Emit): void {
    const text = this.#held.trimStart()
    if (text.startsWith(opening)) {
      this.#held = text.slice(opening.length)
      this.#state = 'thinking'
    } else if (!opening.startsWith(text)) this.flush(emit)
  }

  #think(emit: Emit): void {
    const end = this.#held.indexOf(closing)
    if (end < 0) return this.#say(lengthWithoutUnfinishedTag(this.#held), emit)
    this.#say(end, emit)
    this.#held = this.#held.slice(closing.length)
    this.#state = 'text'
    this.#say(this.#held.length, emit)
  }

  #say(length: number, emit: Emit): void {
    const said = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    if (said === '') return
    if (this.#state === 'thinking') this.#listener.reasoning(said, emit)
    else this.#listener.text(said, emit)
  }
}

function lengthWithoutUnfinishedTag(text: string): number {
  const start = text.lastIndexOf('<')
  return start >= 0 && closing.startsWith(text.slice(start)) ? start : text.length
}
