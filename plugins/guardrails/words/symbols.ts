/** `mark`: an accent, which belongs to the symbol before it. `none`: an invisible character, which counts as nothing. */
export type Kind = 'word' | 'single' | 'space' | 'mark' | 'none'

/** The form of a character for comparison. */
export interface Folded {
  readonly kind: Kind
  /** Without case and compatibility forms. */
  readonly text: string
}

const invisible = /\p{Default_Ignorable_Code_Point}/gu
const marks = /^\p{M}+$/u
const space = /^\s+$/u
const word = /^[\p{L}\p{M}\p{N}]+$/u
/** Scripts that do not separate words. Each of their characters is a separate symbol. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const known = new Map<string, Folded>()
const maxKnown = 30_000

export function folded(character: string): Folded {
  let found = known.get(character)
  if (!found) {
    found = fold(character)
    if (known.size === maxKnown) known.clear()
    known.set(character, found)
  }
  return found
}

function fold(character: string): Folded {
  // Decomposed, so that it does not matter whether an accent is a separate character. Both cases, because ß, ẞ and SS are equal only in
  // one.
  const text = character.normalize('NFKD').toLowerCase().toUpperCase().normalize('NFKD').replace(invisible, '')
  return { kind: kindOf(text), text: space.test(text) ? ' ' : text }
}

function kindOf(text: string): Kind {
  if (text === '') return 'none'
  if (space.test(text)) return 'space'
  if (marks.test(text)) return 'mark'
  return word.test(text) && !unspaced.test(text) ? 'word' : 'single'
}
