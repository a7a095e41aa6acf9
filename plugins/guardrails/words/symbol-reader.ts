import { folded, type Kind } from './symbols.ts'

/** A word, a sign, or the space between them. */
export interface TextSymbol {
  readonly text: string
  /** Offsets into all text so far. */
  readonly start: number
  readonly end: number
}

/** Cuts a text that arrives in pieces into symbols. Reads each character once. */
export class SymbolReader {
  readonly #longest: number
  readonly #each: (symbol: TextSymbol) => void
  #kind: Exclude<Kind, 'mark' | 'none'> | undefined
  #text = ''
  #start = 0
  #end = 0
  /** Half of a character. */
  #half = ''

  /** Cuts symbols of more than `longest` characters after the next character. */
  constructor(longest: number, each: (symbol: TextSymbol) => void) {
    this.#longest = longest
    this.#each = each
  }

  /** The start of the symbol that may still grow. One that is too long already counts as complete. */
  get start(): number {
    return this.#kind && !this.isTooLong ? this.#start : this.#end
  }

  get isTooLong(): boolean {
    return this.#text.length > this.#longest
  }

  read(piece: string): void {
    let text = this.#half + piece
    this.#half = ''
    if (/[\ud800-\udbff]$/.test(text)) {
      this.#half = text.slice(-1)
      text = text.slice(0, -1)
    }
    for (const character of text) this.#add(character)
  }

  /** Call after the last piece. */
  finish(): void {
    if (this.#half !== '') this.#add(this.#half)
    this.#half = ''
    this.#close()
  }

  #add(character: string): void {
    const { kind, text } = folded(character)
    const start = this.#end
    if (kind !== 'none' && !(kind === 'mark' && this.#kind) && !(kind === this.#kind && kind !== 'single')) {
      this.#close()
      this.#kind = kind === 'mark' ? 'word' : kind
      this.#start = start
    }
    if (this.#kind !== 'space' && !this.isTooLong) this.#text += text
    this.#end = start + character.length
  }

  #close(): void {
    if (!this.#kind) return
    const text = this.#kind === 'space' ? ' ' : this.#text
    this.#kind = undefined
    this.#text = ''
    this.#each({ text, start: this.#start, end: this.#end })
  }
}
