import { setImmediate as nextTurn } from 'node:timers/promises'
import { RE2JS } from 're2js'
import { detectors } from './detectors/index.ts'
import type { Detector, Span } from './detectors/detector.ts'
import { usualDetectors, type Settings } from './settings.ts'

export interface Found extends Span {
  readonly label: string
}

/** Texts are searched in windows of this length, so that the event loop runs in between. */
const windowLength = 8_192
/** Windows overlap, so that what begins in one may end in the next. */
const overlap = 4_096
const longestTurnMs = 3

/** Finds what the settings of a key name. Made once per settings. */
export class Finder {
  readonly #detectors: readonly Detector[]
  readonly #allowed: ReadonlySet<string>

  constructor({ detectors: names, custom, allow, deny }: Settings) {
    this.#detectors = [
      ...(deny?.length ? [literals(deny)] : []),
      ...(custom ?? []).map(({ name, pattern }) => linear(name, pattern)),
      ...Object.entries(detectors)
        .filter(([name]) => (names ?? usualDetectors).includes(name as keyof typeof detectors))
        .map(([, detector]) => detector),
    ]
    this.#allowed = new Set(allow)
  }

  /** In order, without overlaps. */
  async find(original: string): Promise<readonly Found[]> {
    const text = plain(original)
    const found: Found[] = []
    let since = performance.now()
    for (let from = 0; from < text.length; from += windowLength) {
      const window = text.slice(from, from + windowLength + overlap)
      for (const { label, find } of this.#detectors) {
        const finding = find(window)
        for (const { start, end } of finding instanceof Promise ? await finding : finding) {
          if (end <= start || (start >= windowLength && from + windowLength < text.length)) continue
          if (!this.#allowed.has(original.slice(from + start, from + end))) found.push({ start: from + start, end: from + end, label })
        }
        if (performance.now() - since < longestTurnMs) continue
        await nextTurn()
        since = performance.now()
      }
    }
    return withoutOverlaps(found)
  }
}

const unusual = /[\t\u00a0\u2000-\u200a\u202f\u2010-\u2015\u2212\uff10-\uff19]/g

/** Spaces, hyphens and digits in other forms become the usual ones. The length stays the same. */
function plain(text: string): string {
  return text.replace(unusual, character => {
    if (character >= '\uff10') return String.fromCharCode(character.charCodeAt(0) - 0xff10 + 48)
    return character >= '\u2010' && character !== '\u202f' ? '-' : ' '
  })
}

/** The longer span wins, then the one found first. */
function withoutOverlaps(found: readonly Found[]): readonly Found[] {
  if (found.length < 2) return found
  const byLength = found.toSorted((a, b) => b.end - b.start - (a.end - a.start))
  const byStart = byLength.toSorted((a, b) => a.start - b.start)
  const kept: Found[] = []
  for (const next of byStart) {
    const last = kept.at(-1)
    if (!last || next.start >= last.end) kept.push(next)
    else if (next.end > last.end) {
      // Both overlap only in part. What either of them found must go, so the first one grows.
      kept[kept.length - 1] = { ...last, end: next.end }
    }
  }
  return kept
}

function literals(words: readonly string[]): Detector {
  const escaped = words.toSorted((a, b) => b.length - a.length).map(word => RE2JS.quote(word))
  return { ...linear('denied', escaped.join('|'), RE2JS.CASE_INSENSITIVE), label: 'DENIED' }
}

function linear(name: string, pattern: string, flags = 0): Detector {
  const expression = RE2JS.compile(pattern, flags)
  return {
    label: name.toUpperCase(),
    find(text) {
      const spans: Span[] = []
      const matcher = expression.matcher(text)
      while (matcher.find()) spans.push({ start: matcher.start(), end: matcher.end() })
      return spans
    },
  }
}
