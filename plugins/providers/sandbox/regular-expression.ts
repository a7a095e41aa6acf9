import { parsePattern, range, word, type Node, type Range } from './pattern-parser.ts'

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

/** Undefined for what is not regular, not understood, or too large. */
export function regularExpression(pattern: string): RegularExpression | undefined {
  const node = parsePattern(pattern)
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
