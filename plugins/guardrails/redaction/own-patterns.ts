import { RE2JS } from 're2js'
import type { Detector, Span } from './detectors/detector.ts'
import { plainText } from './plain-text.ts'

/** Words that the settings deny, whatever their case. */
export function denied(words: readonly string[]): Detector {
  const forms = words.flatMap(word => [word, word.normalize('NFC'), word.normalize('NFD')].map(form => plainText(form).text))
  const escaped = [...new Set(forms)].toSorted((a, b) => b.length - a.length).map(word => RE2JS.quote(word))
  return linear('DENIED', escaped.join('|'), RE2JS.CASE_INSENSITIVE)
}

/** A pattern of the settings. It may name characters that detectors never see, so it reads the original text too. */
export function custom({ name, pattern }: { readonly name: string; readonly pattern: string }): Detector {
  return { ...linear(name.toUpperCase(), pattern), readsOriginal: true }
}

function linear(label: string, pattern: string, flags = 0): Detector {
  const expression = RE2JS.compile(pattern, flags)
  return {
    label,
    find(text) {
      const spans: Span[] = []
      const matcher = expression.matcher(text)
      while (matcher.find()) spans.push({ start: matcher.start(), end: matcher.end() })
      return spans
    },
  }
}
