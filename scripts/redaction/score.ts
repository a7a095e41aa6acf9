import { readFileSync } from 'node:fs'

/** A place in a text that holds a value of one kind: `[start, end)` in UTF-16 code units. */
export interface Place {
  readonly kind: string
  readonly start: number
  readonly end: number
}

export interface Labelled {
  readonly text: string
  readonly values: readonly Place[]
}

export interface Score {
  /** Values in the corpus. */
  readonly values: number
  /** Values of which every character was found as this kind. */
  found: number
  /** Places that were reported as this kind. */
  readonly reported: number
  /** Places that hold a value of this kind, and at most two characters more. */
  right: number
  /** The texts at fault. */
  readonly missed: string[]
  readonly wrong: string[]
}

const corpusFile = new URL('../../test/fixtures/redaction/corpus.json', import.meta.url)
const tolerance = 2

/** The texts of the corpus, without the marks `⟦kind:value⟧`. */
export function corpus(): readonly Labelled[] {
  const { texts } = JSON.parse(readFileSync(corpusFile, 'utf8')) as { readonly texts: readonly string[] }
  return texts.map(labelled)
}

function labelled(marked: string): Labelled {
  let text = ''
  const values: Place[] = []
  let from = 0
  for (const { 0: match, 1: kind, 2: value, index } of marked.matchAll(/⟦(\w+):([^⟧]*)⟧/g)) {
    text += marked.slice(from, index)
    values.push({ kind: kind!, start: text.length, end: text.length + value!.length })
    text += value
    from = index + match.length
  }
  return { text: text + marked.slice(from), values }
}

/** Scores the finds in each text of the corpus, by kind. */
export function scores(texts: readonly Labelled[], found: readonly (readonly Place[])[]): ReadonlyMap<string, Score> {
  const all = new Map<string, Score>()
  const of = (kind: string): Score & { values: number; reported: number } => {
    let score = all.get(kind)
    if (!score) all.set(kind, (score = { values: 0, found: 0, reported: 0, right: 0, missed: [], wrong: [] }))
    return score as Score & { values: number; reported: number }
  }
  for (const [index, { text, values }] of texts.entries()) {
    const places = found[index]!
    for (const value of values) {
      const score = of(value.kind)
      score.values++
      if (isCovered(value, places)) score.found++
      else score.missed.push(`${text.slice(value.start, value.end)} in ${JSON.stringify(text)}`)
    }
    for (const place of places) {
      const score = of(place.kind)
      score.reported++
      if (values.some(value => fits(place, value))) score.right++
      else score.wrong.push(`${text.slice(place.start, place.end)} in ${JSON.stringify(text)}`)
    }
  }
  return all
}

function isCovered(value: Place, places: readonly Place[]): boolean {
  return places.some(({ kind, start, end }) => kind === value.kind && start <= value.start && end >= value.end)
}

function fits(place: Place, value: Place): boolean {
  if (place.kind !== value.kind || place.start >= value.end || place.end <= value.start) return false
  return place.start >= value.start - tolerance && place.end <= value.end + tolerance
}
