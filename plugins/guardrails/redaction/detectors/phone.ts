import type { CountryCode } from 'libphonenumber-js/max'
import { groupsIn, matching, type Detector, type Find, type Span } from './detector.ts'
import { isInternationalNumber, isNationalNumber } from './numbering-plan.ts'

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
  numbers(new RegExp(String.raw`(?<=(?<!\p{L})(?:${words})(?!\p{L})(?:[^\d\n]|\n\0\n){0,12})\d{8,14}(?!\w|[.,\/:-]\d)`, 'giu'), everywhere),
]

/** Phone numbers in international form, and in the usual national forms of nine countries. */
export const phone: Detector = {
  label: 'PHONE',
  find: text => finds.flatMap(find => find(text)),
}

const runs = matching(/(?<![\dA-Za-z_+])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){5,24}/g)
const group = /\d+\)?/g
const fewestDigits = 7
const freephone = /^0[89]00/

/** A run may have more than the number, such as a time. */
function international(text: string): readonly Span[] {
  return runs(text).flatMap(run => {
    const ends = groupsIn(text, run, group).map(({ end }) => end)
    const first = text[run.start] === '+' ? run.start + 1 : run.start + 2
    for (const end of ends.toReversed()) {
      if (/\d/.test(text[end] ?? '')) continue
      const digits = text.slice(first, end).replace('(0)', '').replaceAll(/\D/g, '')
      if (digits.length >= fewestDigits && isInternationalNumber(digits)) return [{ start: run.start, end }]
    }
    return []
  })
}

function written(form: string, ...countries: readonly CountryCode[]): Find {
  return numbers(new RegExp(`${before}${form}`, 'g'), countries)
}

/** What may follow a number with a space between: a time or a date. */
const another = /^ +\d{1,4}[:./h-]\d/
const date = /^(?:\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/

/** The longest number that ends with a group of the match. */
function numbers(expression: RegExp, countries: readonly CountryCode[]): Find {
  return text => {
    const spans: Span[] = []
    for (const { 0: match, index } of text.matchAll(expression)) {
      if (date.test(match)) continue
      const ends = groupsIn(text, { start: index, end: index + match.length }, group).map(({ end }) => end)
      const end = ends.toReversed().find(each => isNumber(text.slice(index, each), countries))
      const isWhole = end === ends.at(-1) || another.test(text.slice(end, (end ?? 0) + 10))
      if (end !== undefined && isWhole) spans.push({ start: index, end })
    }
    return spans
  }
}

function isNumber(text: string, countries: readonly CountryCode[]): boolean {
  const digits = text.replaceAll(/\D/g, '')
  const fewest = freephone.test(digits) ? 8 : 9
  return digits.length >= fewest && countries.some(country => isNationalNumber(digits, country))
}
