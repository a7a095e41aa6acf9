import { isPending } from '../../../core/kit.ts'
import { customPattern } from './custom-pattern.ts'
import { deniedWords } from './denied-words.ts'
import { detectors } from './detectors/index.ts'
import type { Detector, Span } from './detectors/detector.ts'
import { plainText, type PlainText } from './plain-text.ts'
import type { Turn } from './searches.ts'
import { usualDetectors, type Settings } from './settings.ts'

export interface Found extends Span {
  readonly label: string
}

/** Texts are searched in windows, so that the event loop runs in between. */
const windowLength = 16_384
/** The text before a window tells what a number is, and whether it began earlier. */
const lead = 128
/** A value that begins in a window may end in the next. Longer values have no spaces, and a window ends at a space. */
const overlap = 1_024
const maxWordLength = 8_192
/** For a search that shares its time with no other. */
const endless: Turn = { isOver: () => false, next: () => Promise.resolve() }

/** Finds the values that the settings of a key name. Created once per settings. */
export class Finder {
  readonly #detectors: readonly Detector[]
  readonly #allowed: ReadonlySet<string>

  constructor({ detectors: names, custom: patterns, allow, deny }: Settings) {
    this.#detectors = [
      ...(deny?.length ? [deniedWords(deny)] : []),
      ...(patterns ?? []).map(customPattern),
      ...Object.entries(detectors)
        .filter(([name]) => (names ?? usualDetectors).includes(name as keyof typeof detectors))
        .map(([, detector]) => detector),
    ]
    this.#allowed = new Set(allow)
  }

  /** In order, without overlaps. */
  async find(text: string, turn = endless): Promise<readonly Found[]> {
    const long = await this.#findLong(text, turn)
    const found: Found[] = []
    let nextLong = 0
    for (let from = 0; from < text.length; from += windowLength) {
      const begin = Math.max(0, from - lead)
      const original = text.slice(begin, endOfWindow(text, from + windowLength + overlap))
      const plain = plainText(original)
      const here: Found[] = []
      for (const detector of this.#detectors) {
        for (const { start, end } of await spansIn(detector, plain, original)) {
          // Another window finds the values that begin outside this one.
          if (begin + start >= from && begin + start < from + windowLength)
            this.#keep(text, detector.label, begin + start, begin + end, here)
        }
        if (turn.isOver()) await turn.next()
      }
      for (; nextLong < long.length && long[nextLong]!.start < from + windowLength; nextLong++) here.push(long[nextLong]!)
      addWithoutOverlaps(here, found)
    }
    return found
  }

  async #findLong(text: string, turn: Turn): Promise<readonly Found[]> {
    const found: Found[] = []
    for (const { label, findLong } of this.#detectors)
      for (const { start, end } of findLong?.(text) ?? []) {
        this.#keep(text, label, start, end, found)
        if (turn.isOver()) await turn.next()
      }
    return found
  }

  #keep(text: string, label: string, start: number, end: number, found: Found[]): void {
    if (end > start && (this.#allowed.size === 0 || !this.#allowed.has(text.slice(start, end)))) found.push({ label, start, end })
  }
}

/** At a space, so that no word is cut. */
function endOfWindow(text: string, earliest: number): number {
  for (let end = earliest; end < Math.min(text.length, earliest + maxWordLength); end++) if (text.charCodeAt(end) <= 0x20) return end
  return earliest + maxWordLength
}

/** In the original text. */
async function spansIn({ find, readsOriginal }: Detector, { text, places }: PlainText, original: string): Promise<readonly Span[]> {
  const finding = find(text)
  const spans = isPending(finding) ? await finding : finding
  const placed = places ? spans.map(({ start, end }) => ({ start: places[start]!, end: places[end - 1]! + 1 })) : spans
  return readsOriginal && text !== original ? [...placed, ...(await find(original))] : placed
}

/** Where spans overlap, the longest wins. None of `added` begins before the window in which the last one of `kept` was found. */
function addWithoutOverlaps(added: Found[], kept: Found[]): void {
  if (added.length > 1) added.sort((a, b) => a.start - b.start || b.end - a.end)
  for (const next of added) {
    const last = kept.at(-1)
    if (!last || next.start >= last.end) kept.push(next)
    else if (next.end > last.end) {
      // They overlap only in part. Both must be redacted.
      const { label } = next.end - next.start > last.end - last.start ? next : last
      kept[kept.length - 1] = { label, start: last.start, end: next.end }
    }
  }
}
