import { SymbolReader } from './symbol-reader.ts'

/** A place in the list: the symbols from the root to here begin an entry. */
export interface Node {
  readonly depth: number
  readonly next: Map<string, Node>
  /** The longest end of these symbols that begins an entry, too. */
  fallback: Node | undefined
  /** The number of symbols in the longest entry that ends here. 0 if none does. */
  matched: number
}

/** Entries, for a search that reads each symbol of a text once, no matter how many entries there are (Aho and Corasick). */
export class WordList {
  readonly root: Node = { depth: 0, next: new Map(), fallback: undefined, matched: 0 }
  /** The most symbols in one entry. */
  deepest = 0
  /** The most characters in one symbol. */
  longest = 0

  /** Entries without any symbol are ignored. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(symbolsOf(entry))
    this.#link()
  }

  step(from: Node, symbol: string): Node {
    for (let node: Node | undefined = from; node; node = node.fallback) {
      const next = node.next.get(symbol)
      if (next) return next
    }
    return this.root
  }

  #add(symbols: readonly string[]): void {
    let node = this.root
    for (const symbol of symbols) {
      let next = node.next.get(symbol)
      if (!next) node.next.set(symbol, (next = { depth: node.depth + 1, next: new Map(), fallback: undefined, matched: 0 }))
      node = next
      this.longest = Math.max(this.longest, symbol.length)
    }
    node.matched = node.depth
    this.deepest = Math.max(this.deepest, node.depth)
  }

  /** Level by level, because a fallback is shorter than the nodes that use it. */
  #link(): void {
    let level: readonly Node[] = [this.root]
    while (level.length > 0) {
      for (const node of level)
        for (const [symbol, next] of node.next) {
          next.fallback = node.fallback ? this.step(node.fallback, symbol) : this.root
          if (next.matched === 0) next.matched = next.fallback.matched
        }
      level = level.flatMap(node => [...node.next.values()])
    }
  }
}

export function symbolsOf(entry: string): readonly string[] {
  const symbols: string[] = []
  const reader = new SymbolReader(Infinity, ({ text }) => symbols.push(text))
  reader.read(entry.trim())
  reader.finish()
  return symbols
}
