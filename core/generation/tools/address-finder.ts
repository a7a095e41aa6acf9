/** A place in a text that looks like an address of the web. Offsets count UTF-16 units. */
export interface FoundAddress {
  /** Together with the text that follows it without a space. */
  readonly text: string
  readonly start: number
  /** The address of a link in Markdown: where the link begins. */
  readonly linkStart: number | undefined
}

const scheme = /https?:\/\//gi
const schemeLength = 'https://'.length
const maxAddressLength = 2_200
/** How far in front of its address the label of a link may begin. */
const maxLabelLength = 512
/** The text is cut when this much of it is no longer needed. */
const slack = 1_024

/** Finds addresses in a text that arrives in pieces. Keeps a few thousand characters of it. */
export class AddressFinder {
  readonly #tell: (found: FoundAddress) => void
  #text = ''
  /** Where `#text` begins. */
  #offset: number
  /** The start of an address whose end has not been seen, and the position read so far. */
  #at = -1
  #seen = 0
  #round = 0
  #square = 0

  constructor(offset: number, tell: (found: FoundAddress) => void) {
    this.#offset = offset
    this.#tell = tell
  }

  add(text: string): void {
    this.#text += text
    this.#search(false)
    this.#forget()
  }

  /** The text is over. */
  end(): void {
    this.#search(true)
  }

  #search(isOver: boolean): void {
    while (this.#at >= 0 || this.#begin()) {
      const isEnd = this.#reachEnd()
      if (!isEnd && this.#seen - this.#at > maxAddressLength) this.#at = -1
      else if (isEnd ? this.#isLabel(isOver) === undefined : !isOver) return
      else {
        if (!this.#isLabel(isOver)) this.#tell(this.#found())
        this.#at = -1
      }
    }
  }

  /** Looks for the next address. */
  #begin(): boolean {
    scheme.lastIndex = this.#seen
    const found = scheme.exec(this.#text)
    this.#at = found ? found.index : -1
    // The first letters of a scheme may be there already.
    this.#seen = found ? scheme.lastIndex : Math.max(this.#seen, this.#text.length - schemeLength + 1)
    this.#round = this.#square = 0
    return found !== null
  }

  /** A closing bracket is part of an address if it has the opening one. */
  #reachEnd(): boolean {
    for (; this.#seen < this.#text.length && this.#seen - this.#at <= maxAddressLength; this.#seen++) {
      const character = this.#text[this.#seen]!
      if (endsAddress(character)) return true
      if (character === '(') this.#round++
      else if (character === '[') this.#square++
      else if (character === ')' && --this.#round < 0) return this.#stay('round')
      else if (character === ']' && --this.#square < 0) return this.#stay('square')
    }
    return false
  }

  /** The same bracket may be looked at again. */
  #stay(bracket: 'round' | 'square'): true {
    if (bracket === 'round') this.#round = 0
    else this.#square = 0
    return true
  }

  /** True if the address is at the end of a link's label: the link has its own. Undefined if the next characters have not arrived. */
  #isLabel(isOver: boolean): boolean | undefined {
    if (this.#text[this.#seen] !== ']') return false
    const next = this.#text[this.#seen + 1]
    return next === undefined && !isOver ? undefined : next === '('
  }

  #found(): FoundAddress {
    const text = this.#text.slice(this.#at, this.#seen)
    const label = this.#text[this.#seen] === ')' ? this.#labelStart() : undefined
    return { text, start: this.#offset + this.#at, linkStart: label === undefined ? undefined : this.#offset + label }
  }

  /** Where the label in front of the address begins, as in `[label](address)`. */
  #labelStart(): number | undefined {
    if (this.#text[this.#at - 1] !== '(' || this.#text[this.#at - 2] !== ']') return undefined
    const first = Math.max(0, this.#at - maxLabelLength)
    for (let at = this.#at - 3, depth = 1; at >= first; at--) {
      if (this.#text[at] === ']') depth++
      else if (this.#text[at] === '[' && --depth === 0) return at
      else if (this.#text[at] === '\n' && this.#text[at + 1] === '\n') return undefined
    }
    return undefined
  }

  #forget(): void {
    const from = (this.#at < 0 ? this.#seen : this.#at) - maxLabelLength
    if (from < slack) return
    this.#text = this.#text.slice(from)
    this.#offset += from
    this.#seen -= from
    if (this.#at >= 0) this.#at -= from
  }
}

/** Characters that no address has. Others than ASCII are encoded, and in some languages text goes on without a space. */
function endsAddress(character: string): boolean {
  return character <= ' ' || character > '~' || '<>"`{}|^\\'.includes(character)
}
