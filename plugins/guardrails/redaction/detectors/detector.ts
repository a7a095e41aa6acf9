/** A part of a text to redact: `[start, end)` in UTF-16 code units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Finds one kind of personal data. Every expression that it uses must take linear time: bounded repeats only. */
export interface Detector {
  /** The word in placeholders, such as `EMAIL`. */
  readonly label: string
  /** Searches a piece of a text in its plain form. */
  find(text: string): readonly Span[] | Promise<readonly Span[]>
  /** Finds values longer than a piece, in the whole original text. The search pauses between two values. */
  findLong?(text: string): Iterable<Span>
  /** If true, `find` also gets the original text where it differs from the plain text. */
  readonly readsOriginal?: boolean
}

export type Find = (text: string) => readonly Span[]

/** The matches of an expression that pass a check. The expression needs the flag `g`. */
export function matching(expression: RegExp, accepts: (match: string, text: string, start: number) => boolean = () => true): Find {
  return text => {
    const spans: Span[] = []
    expression.lastIndex = 0
    for (let found = expression.exec(text); found; found = expression.exec(text)) {
      const [match] = found
      if (accepts(match, text, found.index)) spans.push({ start: found.index, end: found.index + match.length })
    }
    return spans
  }
}

/** True if one of the words ends shortly before a position. Ask for positions in ascending order. `words` needs the flag `g`. */
export function announcements(text: string, words: RegExp): (start: number) => boolean {
  let begin = -Infinity
  let next = { begin: 0, end: 0 }
  const advance = (from: number): void => {
    words.lastIndex = from
    const found = words.exec(text)
    next = found ? { begin: found.index, end: words.lastIndex } : { begin: Infinity, end: Infinity }
  }
  advance(0)
  return start => {
    while (next.end <= start) {
      begin = next.begin
      advance(next.end)
    }
    return begin >= start - contextLength
  }
}

const contextLength = 40
