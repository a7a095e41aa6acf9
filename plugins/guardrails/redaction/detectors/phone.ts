import { isValidPhoneNumber, type CountryCode } from 'libphonenumber-js/max'
import { matching, type Detector, type Find } from './detector.ts'

const international = matching(/(?<![\w+])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){6,14}(?!\d)/g, match =>
  isValidPhoneNumber(match.startsWith('00') ? `+${match.slice(2)}` : match),
)

// A bare run of digits is an order number as often as a phone number, so national forms need separators or the word before them.
const national: readonly Find[] = [
  written(String.raw`(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}`, 'US', 'IT'),
  written(String.raw`(?:\(0\d{1,4}\)|0\d{1,4})(?:[ .\/-]{1,2}\d{2,8}){1,5}`, 'GB', 'DE', 'FR', 'NL', 'IT', 'IN'),
  written(String.raw`[6-9]\d{2}(?: \d{3}| \d{2} \d{2}){1,2}(?: \d{2}| \d{3})?`, 'ES'),
  written(String.raw`\(?\d{2}\)? 9?\d{4}-\d{4}`, 'BR'),
  written(String.raw`[6-9]\d{4}[ -]\d{5}`, 'IN'),
  announced(String.raw`\d{8,12}`, 'US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'BR', 'IN'),
]

/** Phone numbers in international form, and in the usual national forms of nine countries. */
export const phone: Detector = {
  label: 'PHONE',
  find: text => [international, ...national].flatMap(find => find(text)),
}

function written(form: string, ...countries: readonly CountryCode[]): Find {
  return numbers(String.raw`(?<![\w.,+\/-]|\d )`, form, countries)
}

function announced(form: string, ...countries: readonly CountryCode[]): Find {
  return numbers(String.raw`(?<=\b(?:tel|phone|mobile|call|fax|telefon|handy)\b[^\d\n]{0,12})`, form, countries)
}

function numbers(before: string, form: string, countries: readonly CountryCode[]): Find {
  return matching(new RegExp(String.raw`${before}${form}(?![\w]|[.,\/:-]\d| \d)`, 'gi'), match =>
    countries.some(country => isValidPhoneNumber(match, country)),
  )
}
