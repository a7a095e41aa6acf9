import { groupsIn, matching, type Detector, type Group, type Span } from './detector.ts'

/** Digits in groups. A run may have more than the number of a card, such as its date. */
const runs = matching(/(?<![\dA-Za-z]|\d[.,])\d{1,19}(?:(?: {1,2}|[.-])\d{1,19}){0,4000}(?![\dA-Za-z])/g)
const group = /\d+/g
const shortest = 14
const longest = 19

/** The numbers of payment cards: a known issuer's prefix and length, and a right check digit (ISO/IEC 7812-1). */
export const card: Detector = {
  label: 'CARD',
  find: text => runs(text).flatMap(run => cardsIn(text, groupsIn(text, run, group))),
}

function cardsIn(text: string, groups: readonly Group[]): readonly Span[] {
  const spans: Span[] = []
  for (let first = 0; first < groups.length; first++) {
    const last = mayBegin(text, groups[first]!) ? lastOfCard(text, groups, first) : undefined
    if (last === undefined) continue
    spans.push({ start: groups[first]!.start, end: groups[last]!.end })
    first = last
  }
  return spans
}

/** The last group of the longest card that begins with this group. */
function lastOfCard(text: string, groups: readonly Group[], first: number): number | undefined {
  let digits = ''
  let found: number | undefined
  const separator = text[groups[first]!.end]
  for (let last = first; last < groups.length; last++) {
    const { text: added, start } = groups[last]!
    if (last > first && text[start - 1] !== separator) break
    digits += added
    if (digits.length > longest) break
    if (digits.length >= shortest && isCard(digits) && isUsual(groups.slice(first, last + 1))) found = last
  }
  return found
}

/** The first group of a card has four or six digits, or all of them. Not if it is a part of a decimal, as in `0.4111111111111111`. */
function mayBegin(text: string, { start, end }: Group): boolean {
  const size = end - start
  if (size === 4 || size === 6) return true
  return size >= shortest && !/\d[.,]$/.test(text.slice(Math.max(0, start - 2), start)) && !/^[.,]\d/.test(text.slice(end, end + 2))
}

/** As cards are printed: without groups, or in groups of four (`4-4-4-4-3`), `4-6-5`, `4-6-4`, `6-13`. */
function isUsual(groups: readonly Group[]): boolean {
  const sizes = groups.map(({ text }) => text.length)
  if (sizes.length === 1) return true
  if (sizes.slice(0, -1).every(size => size === 4)) return sizes.at(-1)! <= 7
  return (sizes.length === 3 && sizes[0] === 4 && sizes[1] === 6) || (sizes.length === 2 && sizes[0] === 6)
}

const issuers: readonly RegExp[] = [
  /^4(?:\d{15}|\d{18})$/,
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-59]|[689]\d)\d{11,16}$/,
  /^(?:6011|64[4-9]\d|65\d\d)\d{12,15}$/,
  /^35(?:2[89]|[3-8]\d)\d{12,15}$/,
  /^62\d{14,17}$/,
  /^(?:50|5[6-9]|6\d)\d{12,17}$/,
]

function isCard(digits: string): boolean {
  return issuers.some(issuer => issuer.test(digits)) && hasCheckDigit(digits)
}

function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let position = 0; position < digits.length; position++) {
    const digit = Number(digits[digits.length - 1 - position])
    const doubled = position % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
