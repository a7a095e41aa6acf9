import { matching, type Detector, type Span } from './detector.ts'

const runs = matching(/(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ .-]?[A-Za-z0-9]){11,40}/g)

/**
 * The length of an account number in each country: https://www.swift.com/standards/data-standards/iban-international-bank-account-number
 */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 ' +
    'GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 ' +
    'MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 ' +
    'TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map(entry => [entry.slice(0, 2), Number(entry.slice(2))]),
)

/** International bank account numbers with right check digits (ISO 13616). */
export const iban: Detector = {
  label: 'IBAN',
  find: text => runs(text).flatMap(run => ibanIn(text, run) ?? []),
}

/** Words after the number may look like a part of it, but the country says where it ends. */
function ibanIn(text: string, run: Span): Span | undefined {
  const wanted = lengths[text.slice(run.start, run.start + 2).toUpperCase()]
  if (wanted === undefined) return undefined
  let number = ''
  for (let end = run.start; end < text.length; end++) {
    const character = text[end]!
    if (isAlphanumeric(text.charCodeAt(end))) number += character
    else if (end >= run.end) return undefined
    if (number.length < wanted) continue
    const isWhole = !isAlphanumeric(text.charCodeAt(end + 1))
    return isWhole && isUniform(number) && remainder(number) === 1 ? { start: run.start, end: end + 1 } : undefined
  }
  return undefined
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a)
}

function isUniform(number: string): boolean {
  return number === number.toUpperCase() || number === number.toLowerCase()
}

function remainder(number: string): number {
  let value = 0
  for (let place = 0; place < number.length; place++) {
    const code = number.charCodeAt((place + 4) % number.length)
    const digits = code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57
    value = (value * (digits > 9 ? 100 : 10) + digits) % 97
  }
  return value
}
