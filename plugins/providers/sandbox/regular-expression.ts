/**
 * The regular part of a pattern (no look-around, no back-references), which can write texts as well as recognise them.
 * Recognising never backtracks, so that a hostile pattern costs no more than a friendly one.
 */
export interface RegularExpression {
  /** Whether the pattern is found anywhere in the text. */
  accepts(text: string): boolean
  /** A text of at least `minLength` characters where the pattern allows it; another `variant`, another text, as far as there are any. */
  write(minLength: number, variant: number): string
}

type Range = readonly [first: number, last: number]
type Node =
  | { readonly type: 'set'; readonly ranges: readonly Range[]; readonly negated: boolean }
  | { readonly type: 'sequence' | 'choice'; readonly nodes: readonly Node[] }
  | { readonly type: 'repeat'; readonly node: Node; readonly min: number; readonly max: number }
  | { readonly type: 'start' | 'end' }

/** Undefined for what is not regular, not understood, or too large. */
export function regularExpression(pattern: string): RegularExpression | undefined {
  const node = new Parser(pattern).parse()
  return (
    node && {
      accepts: text =>
        accepts(
          node,
          Array.from(text, character => character.codePointAt(0)!),
        ),
      write(minLength, variant) {
        const shortest = write(node, { spare: 0, variant })
        return write(node, { spare: Math.max(0, minLength - Array.from(shortest).length), variant })
      },
    }
  )
}

const range = (first: string, last: string): Range => [first.codePointAt(0)!, last.codePointAt(0)!]
const digits: readonly Range[] = [range('1', '9'), range('0', '0')]
const word: readonly Range[] = [range('a', 'z'), range('A', 'Z'), range('0', '9'), range('_', '_')]
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

interface Writing {
  /** Characters still wanted beyond the shortest text. */
  spare: number
  /** Taken apart digit by digit, each choice a digit. */
  variant: number
}

const mostCharacters = 20_000

function write(node: Node, state: Writing): string {
  switch (node.type) {
    case 'start':
    case 'end':
      return ''
    case 'set':
      return pick(node.ranges, node.negated, state)
    case 'sequence':
      return node.nodes.map(part => write(part, state)).join('')
    case 'choice':
      return write(node.nodes[digit(state, node.nodes.length)]!, state)
    case 'repeat': {
      let text = ''
      for (let count = 0; count < node.max && text.length < mostCharacters; count++) {
        if (count >= node.min && state.spare <= 0) break
        const piece = write(node.node, state)
        if (piece === '') break
        text += piece
        if (count >= node.min) state.spare -= piece.length
      }
      return text
    }
  }
}

const ordinary: readonly Range[] = [...word, range(' ', '~')]

function pick(ranges: readonly Range[], negated: boolean, state: Writing): string {
  const usable = negated ? ordinary.flatMap(each => apart(each).filter(one => !within(one[0], ranges))) : ranges
  if (usable.length === 0) return ''
  let offset = digit(
    state,
    usable.reduce((sum, [first, last]) => sum + last - first + 1, 0),
  )
  for (const [first, last] of usable) {
    if (offset <= last - first) return String.fromCodePoint(first + offset)
    offset -= last - first + 1
  }
  return ''
}

function apart([first, last]: Range): Range[] {
  return Array.from({ length: last - first + 1 }, (_, index) => [first + index, first + index] as const)
}

function digit(state: Writing, base: number): number {
  const value = state.variant % base
  state.variant = Math.floor(state.variant / base)
  return value
}

function within(codePoint: number, ranges: readonly Range[]): boolean {
  return ranges.some(([first, last]) => codePoint >= first && codePoint <= last)
}

const mostSteps = 50_000

/** All places where a match may stand are followed at once. What takes too many steps is taken on trust. */
function accepts(root: Node, text: readonly number[]): boolean {
  let steps = 0
  const follow = (node: Node, from: ReadonlySet<number>): ReadonlySet<number> => {
    steps += from.size + 1
    if (steps > mostSteps || from.size === 0) return new Set()
    switch (node.type) {
      case 'start':
        return new Set(from.has(0) ? [0] : [])
      case 'end':
        return new Set(from.has(text.length) ? [text.length] : [])
      case 'set': {
        const to = new Set<number>()
        for (const at of from) if (at < text.length && within(text[at]!, node.ranges) !== node.negated) to.add(at + 1)
        return to
      }
      case 'sequence':
        return node.nodes.reduce((reached, part) => follow(part, reached), from)
      case 'choice':
        return new Set(node.nodes.flatMap(part => [...follow(part, from)]))
      case 'repeat': {
        let front = from
        for (let count = 0; count < node.min && front.size > 0; count++) front = follow(node.node, front)
        const reached = new Set(front)
        for (let count = node.min; count < node.max && front.size > 0; count++) {
          front = new Set([...follow(node.node, front)].filter(at => !reached.has(at)))
          for (const at of front) reached.add(at)
        }
        return reached
      }
    }
  }
  return follow(root, new Set(Array.from({ length: text.length + 1 }, (_, at) => at))).size > 0 || steps > mostSteps
}
