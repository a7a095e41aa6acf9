/** Where a text has something to redact: `[start, end)` in UTF-16 code units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds one kind of personal data. It gets at most `windowLength` characters at a time, so every expression that it uses must take linear
 * time: bounded repeats only.
 */
export interface Detector {
  /** The word in placeholders, such as `EMAIL`. */
  readonly label: string
  find(text: string): readonly Span[] | Promise<readonly Span[]>
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
