import type { Detector, Span } from './detectors/detector.ts'
import { plainText } from './plain-text.ts'

/** Words that the settings deny, in any case. There may be a thousand, and texts are long, so most positions take a single look-up. */
export function deniedWords(given: readonly string[]): Detector {
  const words = new Set(given.flatMap(word => ['NFC', 'NFD'].map(form => lowerCase(plainText(word.normalize(form)).text))))
  words.delete('')
  /** The lengths of words, by their beginning. */
  const lengthsAt = new Map<number, number[]>()
  for (const word of [...words].toSorted((a, b) => b.length - a.length)) {
    const lengths = lengthsAt.get(slot(word, 0)) ?? []
    if (!lengths.includes(word.length)) lengthsAt.set(slot(word, 0), [...lengths, word.length])
  }
  const begins = new Uint8Array(slots)
  for (const at of lengthsAt.keys()) begins[at] = 1

  const longestAt = (text: string, start: number): number => {
    for (const at of [slot(text, start), slot(text[start]!, 0)])
      if (begins[at] === 1) for (const length of lengthsAt.get(at)!) if (words.has(text.slice(start, start + length))) return length
    return 0
  }
  return {
    label: 'DENIED',
    find(text) {
      const lower = lowerCase(text)
      const spans: Span[] = []
      for (let start = 0; start < lower.length; start++) {
        if (begins[slot(lower, start)] === 0 && begins[lower.charCodeAt(start)] === 0) continue
        const length = longestAt(lower, start)
        if (length === 0) continue
        spans.push({ start, end: start + length })
        start += length - 1
      }
      return spans
    },
  }
}

const slots = 65_536

/** A number for the first two characters. */
function slot(text: string, start: number): number {
  const second = start + 1 < text.length ? text.charCodeAt(start + 1) : 0
  return (text.charCodeAt(start) + second * 251) % slots
}

/** With the same length. */
function lowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase().replaceAll('ς', 'σ')
}
