import { RE2JS } from 're2js'
import type { Detector, Span } from './detectors/detector.ts'

/** A pattern from the settings. It may name characters that detectors never see, so it also reads the original text. */
export function customPattern({ name, pattern }: { readonly name: string; readonly pattern: string }): Detector {
  const expression = RE2JS.compile(pattern)
  return {
    label: name.toUpperCase(),
    readsOriginal: true,
    find(text) {
      const spans: Span[] = []
      const matcher = expression.matcher(text)
      while (matcher.find()) spans.push({ start: matcher.start(), end: matcher.end() })
      return spans
    },
  }
}
