import type { Detector, Span } from './detector.ts'

const candidate = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}/g
const shortest = 15
const followedByMore = /^[A-Za-z0-9]/

/** International bank account numbers with right check digits (ISO 13616). Their length depends on the country, so each length is tried. */
export const iban: Detector = {
  label: 'IBAN',
  find(text) {
    const spans: Span[] = []
    for (const { 0: match, index } of text.matchAll(candidate)) {
      const length = ibanLength(match, text.slice(index + match.length, index + match.length + 1))
      if (length > 0) spans.push({ start: index, end: index + length })
    }
    return spans
  },
}

/** The length of the longest prefix that is an IBAN, with its separators; 0 if there is none. */
function ibanLength(match: string, next: string): number {
  for (let length = match.length; length >= shortest; length--) {
    const rest = match.slice(length) + next
    if (followedByMore.test(rest) || /[ -]$/.test(match.slice(0, length))) continue
    const number = match.slice(0, length).replaceAll(/[ -]/g, '')
    if (number.length >= shortest && isUniform(number) && remainder(number) === 1) return length
  }
  return 0
}

/** Words after the number may look like a part of it. They are in lower case, or the whole number is. */
function isUniform(number: string): boolean {
  return number === number.toUpperCase() || number === number.toLowerCase()
}

function remainder(number: string): number {
  let value = 0
  for (const character of (number.slice(4) + number.slice(0, 4)).toUpperCase()) {
    const digits = character >= 'A' ? character.charCodeAt(0) - 55 : Number(character)
    value = (value * (digits > 9 ? 100 : 10) + digits) % 97
  }
  return value
}
