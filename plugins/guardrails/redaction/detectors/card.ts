import type { Detector, Span } from './detector.ts'

/** The numbers of payment cards: a known issuer's prefix and length, and a right check digit (ISO/IEC 7812-1). */
export const card: Detector = {
  label: 'CARD',
  find(text) {
    const spans: Span[] = []
    for (let from = 0; from < text.length; from++) {
      if (!isDigit(text.charCodeAt(from))) continue
      const size = digitsFrom(text, from)
      const end = mayBegin(text, from, size) ? endOfCard(text, from, size) : undefined
      if (end !== undefined) spans.push({ start: from, end })
      from = end ?? from + size
    }
    return spans
  },
}

const shortest = 14
const longest = 19
/** The first group of a card has four or six digits, or all of them. Digits of a decimal, as in `0.4111111111111111`, begin no card. */
function mayBegin(text: string, start: number, size: number): boolean {
  if (text[start]! < '2' || text[start]! > '6' || (text[start - 1] === ',' && isDigit(text.charCodeAt(start - 2)))) return false
  if (size === 4 || size === 6) return true
  if (size < shortest || size > longest) return false
  return !/\d[.,]$/.test(text.slice(Math.max(0, start - 2), start)) && !/^[.,]\d/.test(text.slice(start + size, start + size + 2))
}

/** Where the longest card that begins here ends. */
function endOfCard(text: string, start: number, size: number): number | undefined {
  let digits = text.slice(start, start + size)
  let end = start + size
  let found = size >= shortest && isCard(digits) && isAlone(text, start, end) ? end : undefined
  const sizes = [size]
  let separator = ''
  let lines = 1
  for (;;) {
    const next = nextGroup(text, end, separator)
    if (next === undefined || (next.isOnNextLine && ++lines > 2)) return found
    if (!next.isOnNextLine) separator = next.separator
    const added = digitsFrom(text, next.start)
    digits += text.slice(next.start, next.start + added)
    sizes.push(added)
    end = next.start + added
    if (digits.length > longest) return found
    if (digits.length >= shortest && isUsual(sizes) && !isDivision(sizes, separator) && isCard(digits) && isAlone(text, start, end))
      found = end
  }
}

type NextGroup =
  | { readonly start: number; readonly isOnNextLine: true }
  | { readonly start: number; readonly isOnNextLine: false; readonly separator: string }

const separators = ' .-/_'
/** A separator of the groups may end a line. */
const lineBreak = /(?: ?[./_-])? {0,2}\r?\n */y

/** All groups have the same separator, such as `-` or ` - `, and one of them may end a line. `separator`: empty before the first. */
function nextGroup(text: string, end: number, separator: string): NextGroup | undefined {
  const isSpaced = text[end] === ' ' && text[end + 1] !== ' ' && separators.includes(text[end + 1]!) && text[end + 2] === ' '
  const own = isSpaced ? text.slice(end, end + 3) : text[end]!
  if ((isSpaced || separators.includes(own)) && (separator === '' || own === separator)) {
    const start = end + (own === ' ' && text[end + 1] === ' ' ? 2 : own.length)
    if (isDigit(text.charCodeAt(start))) return { start, isOnNextLine: false, separator: own }
  }
  lineBreak.lastIndex = end
  if (!lineBreak.test(text) || !isDigit(text.charCodeAt(lineBreak.lastIndex))) return undefined
  return { start: lineBreak.lastIndex, isOnNextLine: true }
}

/** As cards are printed: without groups, or in groups of four (`4-4-4-4-3`), `4-6-5`, `4-6-4`, `6-13`. */
function isUsual(sizes: readonly number[]): boolean {
  if (sizes.slice(0, -1).every(size => size === 4)) return sizes.at(-1)! <= 7
  return (sizes.length === 3 && sizes[0] === 4 && sizes[1] === 6) || (sizes.length === 2 && sizes[0] === 6)
}

/** Such as `411111 / 8224633782`. */
function isDivision(sizes: readonly number[], separator: string): boolean {
  return sizes.length === 2 && separator.length > 1
}

const maxWordLength = 64

/** Letters may touch a card, as in `x4111111111111111y`, but digits within a hexadecimal number are not a card. */
function isAlone(text: string, start: number, end: number): boolean {
  let isTouched = false
  for (const [from, step] of [
    [start - 1, -1],
    [end, 1],
  ] as const)
    for (let at = from; Math.abs(at - from) < maxWordLength; at += step) {
      const code = text.charCodeAt(at) | 0x20
      if (code >= 0x67 && code <= 0x7a) return true
      if (!(code >= 0x61 && code <= 0x66) && !isDigit(text.charCodeAt(at))) break
      isTouched = true
    }
  return !isTouched
}

function digitsFrom(text: string, from: number): number {
  let end = from + 1
  while (isDigit(text.charCodeAt(end))) end++
  return end - from
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

const issuer =
  /^(?:4(?:\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11,16}|(?:6011|64[4-9]\d|65\d\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12,15}|62\d{14,17}|(?:50|5[6-9]|6\d)\d{12,17})$/

function isCard(digits: string): boolean {
  return hasCheckDigit(digits) && issuer.test(digits)
}

function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let position = 0; position < digits.length; position++) {
    const digit = digits.charCodeAt(digits.length - 1 - position) - 0x30
    const doubled = position % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
