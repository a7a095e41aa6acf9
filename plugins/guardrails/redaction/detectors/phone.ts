import type { CountryCode } from 'libphonenumber-js/max'
import { matching, type Detector, type Find, type Span } from './detector.ts'
import { isInternationalNumber, nationalNumbers } from './numbering-plan.ts'

const everywhere: readonly CountryCode[] = ['US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'BR', 'IN']
/** Before a national number. */
const before = String.raw`(?<![\w.,+\/-]|\d[ :])`
const after = String.raw`(?![\w]|[.,\/:-]\d)`
const afterGroups = String.raw`(?![\w]|[.,\/:-]\d| \d)`
const words =
  'tel|phone|mobile|cell|call|fax|whatsapp|telefon|handy|mobil|téléphone|portable|teléfono|móvil|telefono|cellulare|telefone|celular|telefoon|тел|телефон|电话|電話|手机|هاتف|טלפון|फ़ोन'

// A bare run of digits is an order number as often as a phone number, so national forms need separators or the word before them.
const finds: readonly Find[] = [
  international,
  written(String.raw`\(\d{3}\) ?\d{3}[ .-]\d{4}${after}`, 'US'),
  written(String.raw`(?:1[ .-])?\d{3}[ .-]\d{3}[ .-]\d{4}${afterGroups}`, 'US', 'IT'),
  written(String.raw`(?:\(0\d{1,5}\)|0\d{1,5})(?:[ .\/-]{1,2}\d{2,12}){1,5}(?!\w)`, 'GB', 'DE', 'FR', 'NL', 'IT', 'IN', 'BR'),
  written(String.raw`0 8\d{2}(?: \d{2,3}){2,3}${afterGroups}`, 'FR'),
  written(String.raw`[6-9]\d{2}(?: \d{3}| \d{2} \d{2}){1,2}(?: \d{2}| \d{3})?${afterGroups}`, 'ES', 'IT'),
  written(String.raw`[38]\d{2} \d{3,7}(?: \d{3,4})?${afterGroups}`, 'IT'),
  written(String.raw`\(?\d{2}\)? 9?\d{4}-\d{4}${after}`, 'BR'),
  written(String.raw`[6-9]\d{4}[ -]\d{5}${afterGroups}`, 'IN'),
  written(String.raw`1[68]00[ -]\d{2,4}[ -]\d{3,4}(?:[ -]\d{3,4})?${afterGroups}`, 'IN'),
  numbers(/(?<!\d)\d{8,14}(?!\w|[.,/:-]\d)/g, everywhere, isAnnounced),
]

const announcement = new RegExp(String.raw`(?<!\p{L})(?:${words})(?!\p{L})(?:[^\d\n]|\n\0\n){0,12}$`, 'iu')
/** Room for the longest word. The divider of two texts has three characters. */
const maxAnnouncementLength = 48
const letter = /\p{L}/u

/** Phone numbers in international form, and in the usual national forms of nine countries. */
export const phone: Detector = {
  label: 'PHONE',
  find: text => finds.flatMap(find => find(text)),
}

const runs = matching(/(?<![\dA-Za-z_+])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){5,24}/g)
const fewestDigits = 7
const freephone = /^0[89]00/
const closing = 0x29

/** A run may contain more than the number, such as a time. */
function international(text: string): readonly Span[] {
  const spans: Span[] = []
  for (const { start, end } of runs(text)) {
    const first = text[start] === '+' ? start + 1 : start + 2
    const isCut = isDigit(text.charCodeAt(end))
    const size = maxNumberLength(text.slice(first, end), isCut, isInternational)
    if (size !== undefined) spans.push({ start, end: first + size })
  }
  return spans
}

function isInternational(digits: string, written: string): boolean {
  const dialled = written.includes('(0)') ? written.replace('(0)', '').replaceAll(/\D/g, '') : digits
  return dialled.length >= fewestDigits && isInternationalNumber(dialled)
}

function written(form: string, ...countries: readonly CountryCode[]): Find {
  return numbers(new RegExp(`${before}${form}`, 'g'), countries)
}

/** Text that may follow a number after a space: a time or a date. */
const another = /^ +\d{1,4}[:./h-]\d/
const date = /^(?:\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/

/** The longest number that ends with a group of the match. */
function numbers(
  expression: RegExp,
  countries: readonly CountryCode[],
  mayBe: (text: string, start: number) => boolean = () => true,
): Find {
  const isNational = nationalNumbers(countries)
  const isNumber = (digits: string): boolean =>
    (digits.length >= 9 || (digits.length === 8 && freephone.test(digits))) && isNational(digits)
  const matches = matching(expression, (match, text, start) => mayBe(text, start) && !date.test(match))
  return text => {
    const spans: Span[] = []
    for (const { start, end: whole } of matches(text)) {
      const size = maxNumberLength(text.slice(start, whole), false, isNumber)
      if (size === undefined) continue
      const end = start + size
      if (end === whole || another.test(text.slice(end, end + 10))) spans.push({ start, end })
    }
    return spans
  }
}

/** True if a word such as "phone" comes shortly before. */
function isAnnounced(text: string, start: number): boolean {
  let from = start
  // Neither a word nor what follows it has digits.
  while (from > 0 && start - from < maxAnnouncementLength && !isDigit(text.charCodeAt(from - 1))) from--
  const before = text.slice(from, start)
  return letter.test(before) && announcement.test(before)
}

/**
 * The length of the longest number that begins the text and ends with one of its groups, such as `(0)`. `isCut`: the last group continues.
 */
function maxNumberLength(text: string, isCut: boolean, isNumber: (digits: string, written: string) => boolean): number | undefined {
  const digits = text.replaceAll(/\D/g, '')
  let count = digits.length
  for (let end = text.length; end > 0; end--) {
    const last = text.charCodeAt(end - 1)
    const next = end === text.length && isCut ? zero : text.charCodeAt(end)
    const isGroupEnd = last === closing || (isDigit(last) && !isDigit(next) && next !== closing)
    if (isGroupEnd && isNumber(digits.slice(0, count), text.slice(0, end))) return end
    if (isDigit(last)) count--
  }
  return undefined
}

const zero = 0x30

function isDigit(code: number): boolean {
  return code >= zero && code <= 0x39
}
