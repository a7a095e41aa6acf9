import { SymbolReader, type TextSymbol } from './symbol-reader.ts'
import type { Node, WordList } from './word-list.ts'

/** Offsets into all text so far. */
export interface Match {
  readonly start: number
  readonly end: number
}

/** Finds the entries of a list in a text that arrives in pieces. */
export class Scanner {
  readonly #list: WordList
  readonly #reader: SymbolReader
  /** The starts of the last symbols: as many as the longest entry has. */
  readonly #starts: number[] = []
  #node: Node
  #matches: Match[] = []

  constructor(list: WordList) {
    this.#list = list
    this.#node = list.root
    this.#reader = new SymbolReader(list.longest, symbol => this.#next(symbol))
  }

  /** No incomplete entry begins before this offset. */
  get settled(): number {
    const { depth } = this.#node
    return depth > 0 && !this.#reader.isTooLong ? this.#starts.at(-depth)! : this.#reader.start
  }

  /** The matches that the piece completes, separate and in order. */
  read(piece: string): readonly Match[] {
    this.#reader.read(piece)
    return this.#taken()
  }

  /** The matches that the end completes. */
  finish(): readonly Match[] {
    this.#reader.finish()
    return this.#taken()
  }

  #taken(): readonly Match[] {
    const matches = this.#matches
    this.#matches = []
    return matches
  }

  #next({ text, start, end }: TextSymbol): void {
    this.#starts.push(start)
    if (this.#starts.length > 2 * this.#list.deepest) this.#starts.splice(0, this.#list.deepest)
    this.#node = this.#list.step(this.#node, text)
    const { matched } = this.#node
    if (matched > 0) this.#matches.push({ start: this.#starts.at(-matched)!, end })
  }
}
