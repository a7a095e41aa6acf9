/** Where a text has something to redact: `[start, end)` in UTF-16 code units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Finds one kind of personal data. Every expression that it uses must take linear time: bounded repeats only. */
export interface Detector {
  /** The word in placeholders, such as `EMAIL`. */
  readonly label: string
  /** Finds what is in a piece of a text, which is a plain text. */
  find(text: string): readonly Span[] | Promise<readonly Span[]>
  /** Finds what is longer than a piece, in the whole original text. */
  findLong?(text: string): readonly Span[]
  /** Whether to call `find` with the original text too, where it is not the same as the plain text. */
  readonly readsOriginal?: boolean
}

export type Find = (text: string) => readonly Span[]

/** The matches of an expression that pass a check. The expression needs the flag `g`. */
export function matching(expression: RegExp, accepts: (match: string, text: string, start: number) => boolean = () => true): Find {
  return text => {
    const spans: Span[] = []
    for (const { 0: match, index } of text.matchAll(expression))
      if (accepts(match, text, index)) spans.push({ start: index, end: index + match.length })
    return spans
  }
}

/** Whether one of the words stands shortly before a match. */
export function follows(words: RegExp, text: string, start: number): boolean {
  return words.test(text.slice(Math.max(0, start - contextLength), start))
}

const contextLength = 40

/** A run of characters in groups: `4111 1111 1111 1111 12` has five. */
export interface Group extends Span {
  readonly text: string
}

export function groupsIn(text: string, run: Span, group: RegExp): readonly Group[] {
  return Array.from(text.slice(run.start, run.end).matchAll(group), ({ 0: match, index }) => ({
    text: match,
    start: run.start + index,
    end: run.start + index + match.length,
  }))
}
