export type Range = readonly [first: number, last: number]
export type Node =
  | { readonly type: 'set'; readonly ranges: readonly Range[]; readonly negated: boolean }
  | { readonly type: 'sequence' | 'choice'; readonly nodes: readonly Node[] }
  | { readonly type: 'repeat'; readonly node: Node; readonly min: number; readonly max: number }
  | { readonly type: 'start' | 'end' }

/** Undefined for what is not regular, not understood, or too large. */
export function parsePattern(pattern: string): Node | undefined {
  return new Parser(pattern).parse()
}

export const range = (first: string, last: string): Range => [first.codePointAt(0)!, last.codePointAt(0)!]
const digits: readonly Range[] = [range('1', '9'), range('0', '0')]
export const word: readonly Range[] = [range('a', 'z'), range('A', 'Z'), range('0', '9'), range('_', '_')]
const space: readonly Range[] = [range(' ', ' '), [9, 13], [0xa0, 0xa0], [0x2028, 0x2029], [0xfeff, 0xfeff]]
const lineEnds: readonly Range[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
]
const classes: Readonly<Record<string, readonly Range[]>> = { d: digits, w: word, s: space }
const controls: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, '0': 0 }

const longestPattern = 1000
const mostRepeats = 1000

class NotRegular extends Error {}

class Parser {
  readonly #characters: readonly string[]
  #at = 0

  constructor(pattern: string) {
    this.#characters = Array.from(pattern)
  }

  parse(): Node | undefined {
    if (this.#characters.length > longestPattern) return undefined
    try {
      const node = this.#choice()
      return this.#at === this.#characters.length ? node : undefined
    } catch (error) {
      if (error instanceof NotRegular) return undefined
      throw error
    }
  }

  #choice(): Node {
    const nodes = [this.#sequence()]
    while (this.#skip('|')) nodes.push(this.#sequence())
    return nodes.length === 1 ? nodes[0]! : { type: 'choice', nodes }
  }

  #sequence(): Node {
    const nodes: Node[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) nodes.push(this.#quantified())
    return { type: 'sequence', nodes }
  }

  #quantified(): Node {
    const node = this.#atom()
    const bounds = this.#bounds()
    if (!bounds) return node
    this.#skip('?')
    const [min, max] = bounds
    if (min > mostRepeats || max < min) throw new NotRegular()
    return { type: 'repeat', node, min, max }
  }

  #bounds(): readonly [number, number] | undefined {
    if (this.#skip('?')) return [0, 1]
    if (this.#skip('*')) return [0, Infinity]
    if (this.#skip('+')) return [1, Infinity]
    if (this.#peek() !== '{') return undefined
    const braces = /^\{(\d+)(,?)(\d*)\}/.exec(this.#characters.slice(this.#at, this.#at + 12).join(''))
    if (!braces) throw new NotRegular()
    this.#at += braces[0].length
    const min = Number(braces[1])
    if (!braces[2]) return [min, min]
    return [min, braces[3] ? Number(braces[3]) : Infinity]
  }

  #atom(): Node {
    const character = this.#take()
    if (character === '^') return { type: 'start' }
    if (character === '$') return { type: 'end' }
    if (character === '.') return { type: 'set', ranges: lineEnds, negated: true }
    if (character === '(') return this.#group()
    if (character === '[') return this.#set()
    if (character === '\\') return this.#escape()
    if ('*+?{'.includes(character)) throw new NotRegular()
    return only(character.codePointAt(0)!)
  }

  #group(): Node {
    if (this.#skip('?')) {
      if (this.#skip('<')) {
        if (this.#peek() === '=' || this.#peek() === '!') throw new NotRegular()
        while (!this.#skip('>')) this.#take()
      } else if (!this.#skip(':')) throw new NotRegular()
    }
    const node = this.#choice()
    if (!this.#skip(')')) throw new NotRegular()
    return node
  }

  #escape(): Node {
    const letter = this.#take()
    const ranges = classes[letter.toLowerCase()]
    if (ranges) return { type: 'set', ranges, negated: letter !== letter.toLowerCase() }
    return only(this.#codePoint(letter))
  }

  #codePoint(letter: string): number {
    if (letter in controls) return controls[letter]!
    if (letter === 'x') return this.#hexadecimal(2)
    if (letter === 'u') {
      if (!this.#skip('{')) return this.#hexadecimal(4)
      let text = ''
      while (!this.#skip('}')) text += this.#take()
      return Number.parseInt(text, 16)
    }
    if (/[a-z0-9]/i.test(letter)) throw new NotRegular()
    return letter.codePointAt(0)!
  }

  #hexadecimal(length: number): number {
    let text = ''
    while (text.length < length) text += this.#take()
    const value = Number.parseInt(text, 16)
    if (Number.isNaN(value)) throw new NotRegular()
    return value
  }

  #set(): Node {
    const negated = this.#skip('^')
    const ranges: Range[] = []
    while (!this.#skip(']')) {
      const first = this.#member()
      if (typeof first !== 'number') ranges.push(...first)
      else if (this.#peek() === '-' && this.#characters[this.#at + 1] !== ']') {
        this.#take()
        const last = this.#member()
        if (typeof last !== 'number' || last < first) throw new NotRegular()
        ranges.push([first, last])
      } else ranges.push([first, first])
    }
    if (ranges.length === 0) throw new NotRegular()
    return { type: 'set', ranges, negated }
  }

  #member(): number | readonly Range[] {
    const character = this.#take()
    if (character !== '\\') return character.codePointAt(0)!
    const letter = this.#take()
    if (letter === 'b') return 8
    if (letter === '-') return 45
    return classes[letter] ?? this.#codePoint(letter)
  }

  #peek(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(): string {
    const character = this.#characters[this.#at++]
    if (character === undefined) throw new NotRegular()
    return character
  }

  #skip(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at++
    return true
  }
}

function only(codePoint: number): Node {
  return { type: 'set', ranges: [[codePoint, codePoint]], negated: false }
}
