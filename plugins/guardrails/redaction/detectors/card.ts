import { matching, type Detector } from './detector.ts'

/** The numbers of payment cards: a known issuer's prefix and length, and a right check digit (ISO/IEC 7812-1). */
export const card: Detector = {
  label: 'CARD',
  find: matching(/(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d]|[.,]\d)/g, match => {
    const digits = match.replaceAll(/\D/g, '')
    return issuers.some(issuer => issuer.test(digits)) && hasCheckDigit(digits)
  }),
}

const issuers: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-59]|[689]\d)\d{11,16}$/,
  /^(?:6011|64[4-9]\d|65\d\d)\d{12,15}$/,
  /^35(?:2[89]|[3-8]\d)\d{12,15}$/,
  /^62\d{14,17}$/,
  /^(?:50|5[6-9]|6\d)\d{11,17}$/,
]

function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let position = 0; position < digits.length; position++) {
    const digit = Number(digits[digits.length - 1 - position])
    const doubled = position % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
